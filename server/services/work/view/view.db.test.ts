import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Person, RestWorld } from "#server/api/testing/rest-world.ts";
import { account } from "#server/db/schema/account.ts";
import { SAVED_VIEWS_MAX } from "#server/domain/job-list.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const save = (body: object, as: Person = "scientist") => world.post("/views", body, { as });
const patch = (id: string, body: object, as: Person = "scientist") => world.call("PATCH", `/api/v1/views/${id}`, { as, body });
const namesOf = async (as: Person) => (await world.get("/views", { as })).json.items.map((v: { name: string }) => v.name);

it("is visible only to its owner until it is shared with a team", async () => {
	const { status, json } = await save({ name: " Mine ", query: "view=failed&team=research" });
	expect([status, json]).toEqual([
		201,
		{ id: json.id, name: "Mine", query: "view=failed&team=research", team: null, owner: "scientist", isMine: true },
	]);
	expect(await namesOf("platform")).toEqual([]);
	expect((await patch(json.id, { team: "research" })).json).toMatchObject({ name: "Mine", team: "research" });
	const [shared] = (await world.get("/views", { as: "platform" })).json.items;
	expect(shared).toMatchObject({ name: "Mine", owner: "scientist", isMine: false });
	expect(await namesOf("stranger")).toEqual([]);
	for (const as of ["platform", "stranger"] as const) {
		expect(await patch(json.id, { name: "Theirs" }, as)).toMatchObject({ status: 404 });
		expect(await world.call("DELETE", `/api/v1/views/${json.id}`, { as })).toMatchObject({ status: 404 });
	}
	expect((await world.call("DELETE", `/api/v1/views/${json.id}`, { as: "scientist" })).status).toBe(200);
	expect(await namesOf("platform")).toEqual([]);
});

it("is rejected with another team, unknown parameters or a used name", async () => {
	await save({ name: "Used", query: "" });
	expect(await save({ name: "Other team", query: "", team: "vision" })).toMatchObject({ status: 403 });
	expect(await save({ name: "No team", query: "", team: "no-such-team" }, "platform")).toMatchObject({ status: 400 });
	expect(await save({ name: "Wrong", query: "view=all&color=red" })).toMatchObject({ status: 400, json: { code: "invalid_input" } });
	expect(await save({ name: "", query: "" })).toMatchObject({ status: 400 });
	const answers = await Promise.all([
		save({ name: "Twice", query: "" }),
		save({ name: "Twice", query: "" }),
		save({ name: "Used", query: "" }),
	]);
	expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
});

it("stays shared with a team only while its owner is in it", async () => {
	const { id } = (await save({ name: "Ours", query: "", team: "research" })).json;
	const { db } = world.database;
	const move = async (teams: string[]) => {
		await db.update(account).set({ teams }).where(eq(account.id, "usr_scientist"));
		// Tokens are read again after a few seconds.
		world.shiftMs += MINUTE_MS;
	};
	await move(["vision"]);
	expect(await patch(id, { query: "view=all" })).toMatchObject({ status: 403 });
	expect(await patch(id, { query: "view=all", team: null })).toMatchObject({ status: 200, json: { team: null } });
	await move(["research"]);
	expect((await world.call("DELETE", `/api/v1/views/${id}`, { as: "scientist" })).status).toBe(200);
});

it(`is refused beyond ${SAVED_VIEWS_MAX} of a person`, async () => {
	const answers = await Promise.all(
		Array.from({ length: SAVED_VIEWS_MAX + 1 }, (_, i) => save({ name: `View ${i}`, query: "" }, "finance")),
	);
	expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
	expect(await namesOf("finance")).toHaveLength(SAVED_VIEWS_MAX);
});
