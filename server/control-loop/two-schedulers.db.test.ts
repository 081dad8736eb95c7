import { afterEach, describe, expect, it, vi } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { systemContext } from "#server/services/core/context.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { newCloudMemory, syncCloud } from "./cloud-sync.ts";
import { newClusterMemory, syncCluster } from "./cluster-sync.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";
import { checkLeases, newLeaseMemory } from "./leases.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(async () => {
	vi.restoreAllMocks();
	await world?.database.drop();
	world = null;
});

/** Blocks a call just before it is made, like a process that is suspended there. */
function blockCall<A extends unknown[], R>(target: { [K in string]: unknown }, method: string) {
	const go = Promise.withResolvers<void>();
	const reached = Promise.withResolvers<void>();
	const call = defined(target[method] as ((...args: A) => Promise<R>) | undefined, method).bind(target);
	target[method] = async (...args: A) => {
		reached.resolve();
		await go.promise;
		return call(...args);
	};
	return { reached: reached.promise, goOn: () => go.resolve() };
}

/** One whole tick of a scheduler. */
async function tickOf(ctx: World["ctx"]): Promise<void> {
	await runCycle(ctx, newCycleMemory());
	for (const driver of ctx.clusters.values()) await syncCluster(ctx, driver, newClusterMemory());
	for (const driver of ctx.clouds.values()) await syncCloud(ctx, driver, newCloudMemory());
	await checkLeases(ctx, newLeaseMemory());
}

/** A scheduler that is suspended while launching a machine, with a full home. */
async function stoppedInLaunch(w: World) {
	await w.submit({ name: "home-1", estimate: "2m" });
	await w.until(async () => (await w.jobs())[0]?.state === "running");
	const [jobId] = await w.submit({ name: "burst-1" });
	const still = blockCall(defined(w.ctx.clouds.get("aws"), "the cloud") as never, "launch");
	const tick = w.tick();
	await still.reached;
	w.takeOver();
	const goOn = async () => {
		still.goOn();
		await tick;
	};
	return { jobId: defined(jobId, "the job"), goOn };
}

const machinesMade = (w: World) => w.cloud.instances().length;

describe("a scheduler that was suspended while another took over", () => {
	it("launches no second machine when it goes on, while the job runs", async () => {
		const w = await World.open({ slots: 1 });
		world = w;
		const { goOn } = await stoppedInLaunch(w);
		await w.until(async () => (await w.attempts()).some((a) => a.siteId === "aws" && a.state === "running"));
		const before = await w.instances();
		await goOn();
		expect(machinesMade(w)).toBe(1);
		expect(await w.instances()).toEqual(before);
		await w.until(() => w.quiet());
		expect((await w.attempts()).map((a) => [a.number, a.state])).toEqual([
			[1, "succeeded"],
			[1, "succeeded"],
		]);
	});

	it("makes a machine that no one wants any more, which the next sweep ends and the ledger pays", async () => {
		const w = await World.open({ slots: 1 });
		world = w;
		const { jobId, goOn } = await stoppedInLaunch(w);
		await cancelJob(systemContext(w.database.db, w.clock, "seed"), jobId);
		await w.until(async () => (await w.instances())[0]?.state === "terminated");
		expect(machinesMade(w)).toBe(0);
		await goOn();
		expect(machinesMade(w)).toBe(1);
		expect((await w.instances())[0]).toMatchObject({ state: "terminated", providerInstanceId: null });
		expect((await w.jobs()).find((j) => j.id === jobId)?.state).toBe("cancelled");
		for (let i = 0; i < 5; i++) await w.tick();
		expect(await w.sweep()).toBe(1);
		const endedMs = w.clock.nowMs();
		for (let i = 0; i < 5; i++) await w.tick();
		await w.sweep();
		await meterAll(w.ctx);
		const [made] = w.cloud.instances();
		const [charged] = await w.database.sql`select sum(gpu_ms)::float8 as ms from charge where site_id = 'aws' and kind <> 'egress'`;
		expect(made?.alive).toBe(false);
		expect(charged?.["ms"]).toBe(endedMs - defined(made?.launchedAtMs, "its launch"));
	});

	it("has nothing that it decided before carried out", async () => {
		const w = await World.open({ slots: 1 });
		world = w;
		await w.submit({ name: "home-1", estimate: "2m" });
		await w.until(async () => (await w.jobs())[0]?.state === "running");
		await w.submit({ name: "burst-1" });
		const stopped = w.takeOver();
		// It has read and decided, and writes that only when the other has carried out its own.
		const db = Object.create(stopped.db);
		const writing = blockCall(db, "transaction");
		const tick = tickOf({ ...stopped, db });
		await writing.reached;
		await w.until(async () => (await w.attempts()).some((a) => a.siteId === "aws" && a.state === "running"));
		writing.goOn();
		await tick;
		expect(await w.attempts()).toHaveLength(2);
		expect(machinesMade(w)).toBe(1);
		await w.until(() => w.quiet());
		expect((await w.attempts()).map((a) => [a.number, a.state])).toEqual([
			[1, "succeeded"],
			[1, "succeeded"],
		]);
	});
});
