import { afterEach, describe, expect, it } from "vitest";
import { sampled } from "#server/kernel/testing/deep.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { PROBE_STEPS, type ProbeStep } from "./context.ts";
import { World } from "./testing/world.ts";

/** Other files kill at the steps of moves, adoptions, pipelines and machines kept warm; the chaos tests kill at those of an expired lease. */
const STEPS = PROBE_STEPS.filter((step) => !/^(move|adopt|lease|pipeline|prewarm):/.test(step));
let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

describe("a scheduler killed at any step of a launch, a termination or a start at home", () => {
	it.each(sampled(STEPS, 5))("loses, doubles and leaves nothing when it dies at %s", async (step: ProbeStep) => {
		world = await World.open({ slots: 1, runMs: 8_000 });
		world.killAt = { step, pass: 1 };
		await world.submit({ name: "home-1" }, { name: "burst-1" }, { name: "burst-2" });
		const w = world;
		await w.until(() => w.quiet());

		expect(w.deaths).toBe(1);
		const jobs = await w.jobs();
		expect(jobs.map((j) => j.state)).toEqual(["succeeded", "succeeded", "succeeded"]);
		// Exactly one success for each job, and every machine ever created belongs to its own row.
		const attempts = await w.attempts();
		for (const j of jobs) expect(attempts.filter((a) => a.jobId === j.id && a.state === "succeeded")).toHaveLength(1);
		const made = w.cloud.instances();
		const rows = await w.instances();
		expect(new Set(made.map((m) => m.instanceId)).size).toBe(made.length);
		expect(made.map((m) => m.instanceId).sort()).toEqual(rows.flatMap((r) => (r.providerInstanceId ? [r.id] : [])).sort());
		expect(await w.sweep()).toBe(0);
		await meterAll(w.ctx);
		const [open] = await w.database.sql`select count(*)::int as n from hold where state = 'pending'`;
		expect(open?.n).toBe(0);
		const [held] = await w.database.sql`select coalesce(sum(held_micro_usd), 0)::text as n from budget_period`;
		expect(held?.n).toBe("0");
		const check = await ledgerCheck(w.ctx);
		expect(check.differences).toEqual([]);
		const [unmetered] = await w.database
			.sql`select count(*)::int as n from instance where billed_from is not null and metered_until is distinct from billed_until`;
		expect(unmetered?.n).toBe(0);
	});

	it("reaches every step, so that the cases above really kill there", async () => {
		world = await World.open({ slots: 1, runMs: 8_000 });
		const w = world;
		await w.submit({ name: "home-1" }, { name: "burst-1" });
		await w.until(() => w.quiet());
		expect([...w.passes.keys()].sort()).toEqual([...STEPS].sort());
	});
});
