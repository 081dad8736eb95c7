import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "#cli/testing/run-command.ts";
import { account } from "#server/db/schema/account.ts";
import { newSealMemory, sealAudit } from "#server/services/governance/audit/seal.ts";
import { tamper } from "#server/services/governance/audit/testing/tamper.ts";
import { RestWorld } from "../testing/rest-world.ts";

const seal = (): Promise<number> => sealAudit({ db: world.database.db, clock: world }, newSealMemory());

let world: RestWorld;
let jobs: string[];
beforeAll(async () => {
	world = await RestWorld.open();
	jobs = [await world.submit({ name: "first" }), await world.submit({ name: "second" }), await world.submit({ name: "third" })];
	await world.post(`/jobs/${jobs[0]}/cancel`, undefined);
	await seal();
});
afterAll(() => world.close());

const spillway = (args: string[]) => runCommand(args, { env: { SPILLWAY_URL: world.url, SPILLWAY_TOKEN: world.tokens.platform } });

describe("GET /audit", () => {
	it("shows who did what, when and from where, before and after, with the seal", async () => {
		const { json } = await world.get("/audit?action=job.cancel");
		expect(json.items).toEqual([
			{
				id: expect.any(Number),
				at: expect.stringMatching(/Z$/),
				...{ actor: "account:usr_platform", actorName: "platform", action: "job.cancel", subject: jobs[0] },
				...{ before: { state: "queued" }, after: { state: "cancelled" }, via: "token", source: "127.0.0.1" },
				requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
				seal: { sequence: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
			},
		]);
	});

	it("keeps how and from where each of many submissions in one statement came", async () => {
		const { json } = await world.get("/audit?action=job.submit");
		expect(json.items.map((l: { via: string; source: string }) => [l.via, l.source])).toEqual(Array(3).fill(["token", "127.0.0.1"]));
	});

	it("has the request id of the response", async () => {
		const { headers } = await world.post(`/jobs/${jobs[2]}/cancel`, undefined);
		const { json } = await world.get(`/audit?subject=${jobs[2]}&limit=1`);
		expect(json.items[0].requestId).toBe(headers.get("x-request-id"));
	});

	it("returns pages, newest first, each entry once", async () => {
		const all = (await world.get("/audit?limit=200")).json.items.map((l: { id: number }) => l.id);
		const paged: number[] = [];
		let cursor = "";
		do {
			const { json } = await world.get(`/audit?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
			paged.push(...json.items.map((l: { id: number }) => l.id));
			cursor = json.nextCursor ?? "";
		} while (cursor !== "");
		expect(paged).toEqual(all);
		expect(all).toEqual(all.toSorted((a: number, b: number) => b - a));
	});

	it.each([
		["actor=platform", 5],
		["actor=account:usr_platform", 5],
		["actor=nobody%25", 0],
		["actor=system:seed", 1],
		["action=job", 5],
		["action=job.s_bmit", 0],
		["q=SECOND", 1],
		["from=2999-01-01", 0],
		["to=2999-01-01&action=policy", 1],
		["subject=nothing", 0],
	])("filters by %s", async (query, count) => {
		expect((await world.get(`/audit?limit=200&${query}`)).json.items).toHaveLength(count);
	});

	it.each(["who=me", "from=yesterday", "limit=0", "limit=201", "cursor=x", "q=%00"])("rejects %s as bad input", async (query) => {
		expect((await world.get(`/audit?${query}`)).status).toBe(400);
	});

	it("is open to platform and finance, and closed to data scientists", async () => {
		const paths = ["/audit", "/audit/chain", "/audit/verify", "/exports/audit"];
		for (const p of paths) {
			expect([p, (await world.get(p, { as: "finance" })).status]).toEqual([p, 200]);
			expect([p, (await world.get(p, { as: "scientist" })).status]).toEqual([p, 403]);
			expect([p, (await world.get(p, { as: null })).status]).toEqual([p, 401]);
		}
	});
});

describe("GET /exports/audit", () => {
	it("writes the filtered entries as CSV, with nothing that a spreadsheet would execute", async () => {
		const { text, headers } = await world.get("/exports/audit?action=job.submit");
		expect(headers.get("content-type")).toMatch(/^text\/csv/);
		const lines = text.trimEnd().split("\r\n");
		expect(lines[0]).toBe("id,at,actor,actorName,action,subject,before,after,requestId,via,source,sequence,hash");
		expect(lines).toHaveLength(4);
		await world.database.db.update(account).set({ name: "=1+1" }).where(eq(account.id, "usr_platform"));
		const named = (await world.get("/exports/audit?action=job.submit")).text;
		await world.database.db.update(account).set({ name: "platform" }).where(eq(account.id, "usr_platform"));
		expect(named).toContain(",'=1+1,");
	});

	it("writes NDJSON with the same entries as the list", async () => {
		const { text } = await world.get("/exports/audit?format=ndjson");
		const { json } = await world.get("/audit?limit=200");
		expect(
			text
				.trimEnd()
				.split("\n")
				.map((line) => JSON.parse(line)),
		).toEqual(json.items);
		expect((await world.get("/exports/audit?format=xml")).status).toBe(400);
	});
});

describe("spillway audit", () => {
	it("lists, exports and verifies; a saved hash is found again", async () => {
		const { out } = await spillway(["audit", "ls", "--action", "job.cancel"]);
		expect(out).toContain("token 127.0.0.1");
		expect((await spillway(["audit", "export", "--format", "ndjson", "--action", "policy"])).out).toContain('"policy.publish"');
		await seal();
		const whole = await spillway(["audit", "verify"]);
		expect(whole).toMatchObject({ code: 0, out: expect.stringMatching(/^The chain is intact: \d+ lines\.\nhead [0-9a-f]{64}\n$/) });
		const [, head = ""] = /head (\w{64})/.exec(whole.out) ?? [];
		await world.post(`/jobs/${jobs[1]}/cancel`, undefined);
		await seal();
		expect((await spillway(["audit", "verify", "--head", head.slice(0, 12)])).code).toBe(0);
		expect(await spillway(["audit", "verify", "--head", "0123456789ab"])).toMatchObject({
			code: 5,
			out: expect.stringContaining("The remembered head is not in the chain"),
		});
		expect((await spillway(["audit", "verify", "--head", "xyz"])).code).toBe(2);
		expect((await spillway(["audit", "burn"])).code).toBe(2);
	});

	it("reports a broken chain in a sentence and by its exit code", async () => {
		await tamper(
			world.database.db,
			`update audit set actor = 'account:usr_finance' where subject = '${jobs[2]}' and action = 'job.cancel'`,
		);
		const ran = await spillway(["audit", "verify"]);
		expect(ran).toMatchObject({ code: 5, out: expect.stringMatching(/^The chain is broken\. Line \d+ is not what seal \d+ was made of/) });
		const report = JSON.parse((await spillway(["audit", "verify", "--json"])).out);
		expect(report.broken.kind).toBe("changed_line");
	});
});
