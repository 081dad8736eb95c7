import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addOneOfEach } from "#server/api/testing/one-of-each.ts";
import { aJob, type Person, RestWorld } from "#server/api/testing/rest-world.ts";
import type { FoundEntity } from "#server/domain/search.ts";

describe("search", () => {
	let world: RestWorld;
	beforeAll(async () => {
		world = await RestWorld.open();
		await addOneOfEach(world, "scientist");
		for (const name of ["esm_fold", "run-esm", "esm"]) {
			expect(await world.post("/jobs", aJob({ name }), { as: "scientist" })).toMatchObject({ status: 201 });
		}
	});
	afterAll(() => world.close());

	const find = async (query: string, as: Person = "scientist"): Promise<FoundEntity[]> =>
		(await world.get(`/search?${query}`, { as })).json.items;
	const kinds = (found: FoundEntity[]) => [...new Set(found.map((e) => e.kind))].sort();

	it("finds each kind, by the words in its name, id or detail", async () => {
		expect(kinds(await find("q=", "platform"))).toEqual([
			"approval",
			"budget",
			"doc",
			"job",
			"person",
			"pipeline",
			"policy",
			"rule",
			"site",
			"team",
			"trigger",
		]);
		expect(await find("q=burst wait&kind=rule")).toMatchObject([{ id: "burst-on-wait", href: "/policies#rule-burst-on-wait" }]);
		expect(await find("q=appr&kind=approval", "finance")).toMatchObject([{ id: "appr_matrix", actions: ["approve"] }]);
		expect((await find("q=exports&kind=doc")).map((e) => e.id)).toContain("focus");
	});

	it("ranks prefixes first, takes wildcards literally and offers to cancel one's own jobs", async () => {
		const found = await find("q=esm&kind=job");
		expect(found.map((e) => e.name)).toEqual(["esm", "esm_fold", "run-esm"]);
		expect(found[0]).toMatchObject({ detail: "queued, research", live: true, actions: ["cancel"] });
		expect((await find("q=m_f&kind=job")).map((e) => e.name)).toEqual(["esm_fold"]);
		expect(await find("q=%25&kind=job")).toEqual([]);
	});

	it("shows only what the caller may see", async () => {
		expect(kinds(await find("q=", "stranger"))).not.toEqual(expect.arrayContaining(["job"]));
		expect(kinds(await find("q=", "stranger"))).not.toEqual(expect.arrayContaining(["pipeline"]));
		expect(await find("q=research&kind=team", "stranger")).toEqual([]);
		expect(await find("q=&kind=person", "finance")).toEqual([]);
		expect((await find("q=esm&kind=job", "finance"))[0]?.actions).toEqual([]);
	});

	it("returns 400 for bad input", async () => {
		expect((await world.get("/search?kind=planet", { as: "scientist" })).status).toBe(400);
		expect((await world.get("/search?limit=99", { as: "scientist" })).status).toBe(400);
	});
});
