import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { postCharges } from "#server/services/ledger/charge/post-charges.ts";
import { RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
let jobId: string;
const AT = Date.UTC(2026, 2, 10, 8);

/** An hour of one of the job's GPUs at $1, at home, and an idle hour of the pool at $0.25. */
const drafts = (): ChargeDraft[] => {
	const amounts = (microUsd: bigint) => ({
		...{ gpuMs: BigInt(HOUR_MS), listMicroUsd: microUsd, contractedMicroUsd: microUsd, effectiveMicroUsd: microUsd, billedMicroUsd: 0n },
		...{ energyMilliWh: 300_000n, measuredEnergyMilliWh: 0n, hourlyGridMilliWh: 0n },
		...{ emissionsMilligrams: 90_000n, marketEmissionsMilligrams: null, embodiedMilligrams: null },
	});
	const place = { siteId: "local", provider: "local", region: "", capacityType: "owned", accelerator: "L40S-48GB" } as const;
	const when = { periodStartMs: AT, periodEndMs: AT + HOUR_MS, instanceId: null, billLineId: null, correction: null };
	const work = { team: "research", project: "", class: "burst" } as const;
	return [
		{
			...{ ...when, jobId, attemptId: `att_${jobId.slice(4)}_001`, allocationId: "alc_test", poolId: null, ...amounts(1_000_000n) },
			dimensions: { ...place, ...work, kind: "compute" },
		},
		{
			...{ ...when, jobId: null, attemptId: null, allocationId: null, poolId: "gpu", ...amounts(250_000n) },
			dimensions: { ...place, team: "", project: "", class: "", kind: "idle" },
		},
	];
};

beforeAll(async () => {
	world = await RestWorld.open();
	jobId = await world.submit({ name: "charged" });
	await world.database.db.transaction((tx) => postCharges(tx, drafts(), AT + HOUR_MS));
});
afterAll(() => world.close());

const range = "from=2026-03-01&to=2026-04-01";

describe("GET /spend", () => {
	it.each([
		["groupBy=team", { "": "250000", research: "1000000" }],
		["groupBy=team&team=research", { research: "1000000" }],
		["groupBy=kind&team=", { idle: "250000" }],
		["groupBy=month&kind=compute,idle", { "2026-03-01": "1250000" }],
		["groupBy=week&site=local", { "2026-03-09": "1250000" }],
		["groupBy=site&provider=aws", {}],
	])("?%s returns decimal strings", async (query, want) => {
		const { status, json } = await world.get(`/spend?${range}&${query}`, { as: "finance" });
		expect([status, json.zone]).toEqual([200, "UTC"]);
		const items = json.items as { key: string; totalMicroUsd: string }[];
		expect(Object.fromEntries(items.map((i) => [i.key, i.totalMicroUsd]))).toEqual(want);
	});

	it("groupBy=job returns whole months, most expensive first", async () => {
		const { json } = await world.get("/spend?from=2026-03-10&to=2026-03-11&groupBy=job", { as: "finance" });
		expect(json).toMatchObject({ groupBy: "job", fromMs: Date.UTC(2026, 2), toMs: Date.UTC(2026, 3), nextCursor: null });
		expect(json.items).toMatchObject([{ key: jobId, name: "charged", totalMicroUsd: "1000000", charges: 1 }]);
	});

	it.each([
		["/spend?capacityType=free", "capacityType"],
		["/spend?class=urgent", "class"],
		["/spend?groupBy=job&region=us-east-1", "region"],
		["/spend?groupBy=job&cursor=x", "cursor"],
		["/charges?cursor=x", "cursor"],
		["/charges?groupBy=team", "groupBy"],
		["/charges?limit=0", "limit"],
		["/charges?lost=stolen", "lost"],
		["/charges?asOf=yesterday", "asOf"],
		["/charges?since=2026-13/1", "since"],
		["/charges?budget=b&period=2026-01-01&from=2026-01-01", "period"],
		["/charges?budget=b&period=January", "period"],
	])("%s is rejected, naming the parameter", async (path, field) => {
		const { status, json } = await world.get(path, { as: "finance" });
		expect(status).toBe(400);
		expect(json.fields[0].path).toContain(field);
	});
});

describe("GET /charges", () => {
	it("returns each charge with its cause, and the sums of the selection", async () => {
		const { json } = await world.get(`/charges?${range}`, { as: "finance" });
		expect(json.totals).toMatchObject({ charges: "2", effectiveMicroUsd: "1250000", billedMicroUsd: "0" });
		expect((json.items as { cause: unknown; jobName: unknown }[]).map((c) => [c.cause, c.jobName])).toEqual(
			expect.arrayContaining([
				[{ kind: "allocation", id: "alc_test" }, "charged"],
				[{ kind: "pool", id: "gpu" }, null],
			]),
		);
		const one = await world.get(`/charges?${range}&job=${jobId}`, { as: "finance" });
		expect(one.json.totals).toMatchObject({ charges: "1", effectiveMicroUsd: "1000000" });
	});

	it("accepts every filter of the page, and so does the command line", async () => {
		const used = await world.get(`/charges?${range}&withoutIdle=1`, { as: "finance" });
		expect(used.json.totals).toMatchObject({ charges: "1", effectiveMicroUsd: "1000000" });
		const none = await world.get(`/charges?${range}&lost=any`, { as: "finance" });
		expect(none.json.totals.charges).toBe("0");
		const before = await world.get(`/charges?${range}&asOf=2020-01-01&since=2019-01-01T00:00:00Z`, { as: "finance" });
		expect(before.json).toMatchObject({ items: [], later: { charges: "2", effectiveMicroUsd: "1250000" }, asOf: { statement: null } });
		const all = await world.get(`/charges?${range}&since=2020-01-01`, { as: "finance" });
		expect(all.json).toMatchObject({ totals: { charges: "2", effectiveMicroUsd: "1250000" }, later: null });
		expect((await world.get(`/charges?${range}&asOf=2020-01/1`, { as: "finance" })).status).toBe(404);
	});

	it("pages by cursor", async () => {
		const first = await world.get(`/charges?${range}&limit=1`, { as: "finance" });
		const second = await world.get(`/charges?${range}&limit=1&cursor=${first.json.nextCursor}`, { as: "finance" });
		expect([first.json.items.length, second.json.items.length, second.json.nextCursor]).toEqual([1, 1, null]);
		expect(second.json.items[0].id).not.toBe(first.json.items[0].id);
	});

	it("hides idle hardware and other teams from a data scientist", async () => {
		const { json } = await world.get(`/charges?${range}`, { as: "scientist" });
		for (const { dimensions } of json.items) expect(dimensions.team).not.toBe("");
		const idle = await world.get(`/charges?${range}&team=`, { as: "scientist" });
		expect(idle.json.totals.charges).toBe("0");
	});
});

describe("the ledger's zone", () => {
	it("is returned, and immutable once something was charged", async () => {
		expect((await world.get("/ledger", { as: "scientist" })).json).toEqual({ zone: "UTC", lastCheck: null });
		const put = (zone: unknown, as: "finance" | "scientist") => world.call("PUT", "/api/v1/ledger/zone", { as, body: { zone } });
		expect((await put("Europe/Berlin", "finance")).status).toBe(409);
		expect((await put("Europe/Berlin", "scientist")).status).toBe(403);
		expect((await put("Atlantis", "finance")).json).toMatchObject({ status: 400, fix: expect.stringContaining("Europe/Berlin") });
		expect((await put(7, "finance")).status).toBe(400);
	});
});
