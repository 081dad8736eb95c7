import { describe, expect, it } from "vitest";
import { isDeep } from "#server/kernel/testing/deep.ts";
import { type Company, drawCompany } from "./testing/promises/company.ts";
import { type CompanyRun, runCompany } from "./testing/promises/run-company.ts";

const FIRST_SEED = Number(process.env["SPILLWAY_TEST_SEED"] ?? 1);
const from = (seed: number, count: number): number[] => Array.from({ length: count }, (_, i) => seed + i);
/** These two runs include scheduler crashes, failing calls, rejected and lost launches, stale plans, and a cap on machines. */
const SEEDS = isDeep ? from(FIRST_SEED, 40) : [2, 5];
const CROWDED_SEEDS = isDeep ? from(FIRST_SEED, 6) : [1];

/** The faults that occurred over all runs: a fault that never occurs tests nothing. */
const met = { deaths: 0, reasons: new Set<string>(), ends: new Set<string>() };

function remember({ deaths, last }: CompanyRun): void {
	met.deaths += deaths;
	for (const { state } of last.attempts) met.ends.add(state);
	for (const { reason } of [...last.jobs, ...last.attempts, ...last.instances]) if (reason) met.reasons.add(reason.code);
}

describe("a random company on the real loop, with random faults", () => {
	it.each(SEEDS)("seed %d keeps every promise after every tick, and settles once faults have ended", async (seed) => {
		const run = await runCompany(drawCompany(seed));
		remember(run);
		expect(run.broken, `SPILLWAY_TEST_SEED=${seed}`).toEqual([]);
	});

	it.each(CROWDED_SEEDS)("seed %d keeps every promise when jobs with deadlines evict others from a crowded pool", async (seed) => {
		const run = await runCompany(drawCompany(seed, { crowded: true }));
		remember(run);
		expect(run.broken, `SPILLWAY_TEST_SEED=${seed}`).toEqual([]);
	});

	it.runIf(isDeep)("hits every fault that it draws", () => {
		expect(met.deaths).toBeGreaterThan(20);
		expect([...met.ends].sort()).toEqual(["cancelled", "evicted", "failed", "interrupted", "lost", "succeeded"]);
		const codes = ["launch_refused_capacity", "instance_vanished", "agent_silent", "spot_interruption", "evicted_for_deadline"];
		for (const code of [...codes, "budget_exceeded", "instance_expired"]) expect(met.reasons).toContain(code);
	});

	it("reports a command that never ends, and an error in the code", async () => {
		const company: Company = { ...drawCompany(1, { crowded: true }), faultyTicks: 3 };
		const endless = company.jobs.slice(0, 1).map((job) => ({ ...job, cancelTick: null, work: { runMs: 1e12, exitCode: 0 } }));
		const { broken } = await runCompany({ ...company, jobs: endless }, { restTicksMax: 3 });
		expect(broken.join()).toMatch(/rest: not at rest: jobs job-0 running started; 1 attempts/);
		const planted = await runCompany(company, {
			sabotage: (tick) => {
				if (tick === 1) throw new RangeError("planted");
			},
		});
		expect(planted.broken.join()).toMatch(/code: RangeError: planted/);
	});
});
