import { and, eq, isNull } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { attempt } from "#server/db/schema/attempt.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { systemContext } from "#server/services/core/context.ts";
import { appendLogs } from "#server/services/work/attempt/append-logs.ts";
import { submitJobs } from "#server/services/work/job/submit.ts";
import { specOf, World } from "./testing/world.ts";

const startMs = Date.UTC(2026, 10, 2, 8);

function offer(accelerator: string, dollars: bigint) {
	const price = dollars * 1_000_000n;
	const prices = { microUsdPerHour: price, onDemandMicroUsdPerHour: price, priceObservedAtMs: startMs };
	return fakeOffer({ instanceType: accelerator, accelerator, ...prices });
}

let world: World;
/** How long the commands of the jobs that run now take. */
let runMs = 4 * MINUTE_MS;
afterEach(() => world.database.drop());

/** Runs jobs to their end. Each prints a line, every tick, that depends on its accelerator. Returns the accelerators. */
async function run(count: number, changes: Partial<JobSpec["resources"]>, lineOf: (accelerator: string) => string): Promise<string[]> {
	const { db } = world.database;
	const spec = { ...specOf({ name: `train-${count}`, estimate: "5m", max: "50m" }), metrics: ["step {step}: {samples/s} samples/s"] };
	const specs = Array.from({ length: count }, () => ({ ...spec, resources: { ...spec.resources, ...changes } }));
	const ids = await submitJobs(systemContext(db, world.clock, "seed"), specs);
	await world.until(async () => {
		const running = await db
			.select()
			.from(attempt)
			.where(and(eq(attempt.state, "running"), isNull(attempt.finishedAt)));
		for (const { id, placement } of running) {
			const text = lineOf(placement.accelerator ?? "");
			await db.transaction((tx) => appendLogs(tx, { attemptId: id, lines: [{ atMs: world.clock.nowMs(), stream: "stdout", text }] }));
		}
		return (await world.jobs()).every(({ finishedAt }) => finishedAt !== null);
	});
	const attempts = await world.attempts();
	world.clock.advance(2 * MINUTE_MS);
	return ids.map((id) => attempts.find(({ jobId }) => jobId === id)?.placement.accelerator ?? "none");
}

it("rents the cheaper machine once jobs report that the fast one gains them little", async () => {
	const offers = [offer("L4-24GB", 1n), offer("A100-80GB", 4n)];
	world = await World.open({ startMs, slots: 0, tickMs: 10_000, cloud: { offers }, workOf: () => ({ runMs, exitCode: 0 }) });
	const line = (perSecond: number) => `step ${world.clock.nowMs()}: ${perSecond} samples/s`;
	// By public measurements, an A100 does more work per dollar.
	expect(await run(1, {}, () => "no rate")).toEqual(["A100-80GB"]);
	// These jobs wait for their data, so their rates are alike. Those on the L4 have more to do: their run times say nothing.
	for (const name of ["L4-24GB", "A100-80GB"]) {
		runMs = (name === "L4-24GB" ? 16 : 4) * MINUTE_MS;
		expect(await run(3, { accelerators: [name] }, () => line(name === "L4-24GB" ? 100 : 110))).toEqual([name, name, name]);
	}
	expect(await run(1, {}, () => line(100))).toEqual(["L4-24GB"]);
});
