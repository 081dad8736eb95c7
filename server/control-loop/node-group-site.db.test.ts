import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { site } from "#server/db/schema/site.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { DriverError } from "#server/providers/driver-errors.ts";
import { KubernetesDriver } from "#server/providers/kubernetes/driver.ts";
import { type EmulatedCluster, startEmulatedCluster } from "#server/providers/testing/emulated-kubernetes.ts";
import { listSites } from "#server/services/capacity/site/list.ts";
import { pricePool } from "#server/services/capacity/site/price-pool.ts";
import { systemContext } from "#server/services/core/context.ts";
import { meterPoolUntilNow } from "#server/services/ledger/charge/meter-pools.ts";
import { newClusterMemory, syncCluster } from "./cluster-sync.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";
import { World } from "./testing/world.ts";

const KEY = { siteId: "k8s", poolId: "nvidia-h100-80gb-hbm3x2" };
const labels = { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" };
const TRIES = 10_000;

let cluster: EmulatedCluster | null = null;
let world: World | null = null;
afterEach(async () => {
	await cluster?.stop();
	await world?.database.drop();
});

function ignoreTransient(error: unknown): void {
	if (!(error instanceof DriverError && error.kind === "transient")) throw error;
}

it("is priced without a node, grows for jobs, is charged for the nodes that existed, and releases them when it may no longer grow", async () => {
	const nodeGroup = { name: "gpu", shape: { gpus: 2, labels }, maxNodes: 2, joinMs: 600, idleMs: 3_600_000 };
	cluster = await startEmulatedCluster({ nodes: [], nodeGroup });
	world = await World.open({ slots: 0, cloud: { offers: [] } });
	const [w, { db }] = [world, world.database];
	const { volume, ...access } = cluster.settings;
	const settings = { ...access, nodeGroups: [{ product: "NVIDIA-H100-80GB-HBM3", gpusPerNode: 2, maxNodes: 2 }] };
	const driver = new KubernetesDriver("k8s", settings);
	await db.insert(site).values({ id: "k8s", name: "k8s", provider: "kubernetes", settings, healthy: false });
	const ctx = { ...w.ctx, clock: systemClock, clusters: new Map([["k8s", driver]]) };
	const services = systemContext(db, systemClock, "seed");
	const [cycle, memory] = [newCycleMemory(), newClusterMemory()];
	const seen = async () => (await listSites(services)).find((s) => s.id === "k8s");
	const look = async () => {
		memory.healthWrittenMs = 0;
		await runCycle(ctx, cycle);
		// A node leaves when it is idle, and then its log is unreadable. The control loop retries too.
		await syncCluster(ctx, driver, memory).catch(ignoreTransient);
		await sleep(10);
	};
	const until = async (what: string, isSo: () => Promise<boolean>) => {
		for (let i = 0; i < TRIES; i++) {
			await look();
			if (await isSo()) return;
		}
		throw new Error(`never: ${what}`);
	};

	await look();
	expect(await seen()).toMatchObject({ healthy: true, healthMessage: expect.stringContaining(KEY.poolId), pools: [] });
	await pricePool(services, KEY, { usdPerGpuHour: "2", wattsPerGpu: 700 });
	await look();
	expect(await seen()).toMatchObject({ healthMessage: null, pools: [{ nodes: 2, nodesToCome: 2, gpus: 0, busy: 0, unavailable: 0 }] });

	// The cluster reports times in whole seconds.
	const command = ["sleep", "1.2"];
	await w.submit({ name: "gang", nodes: 2, gpus: 2, command }, { name: "one", gpus: 1, command });
	await until("both ended", async () => (await w.jobs()).every((j) => j.finishedAt !== null));
	expect((await w.jobs()).map((j) => j.state)).toEqual(["succeeded", "succeeded"]);
	// Checked only now: on a busy computer, a node that left between two reads would have come back again and again.
	nodeGroup.idleMs = 0;
	await until("no node is left", async () => (await seen())?.pools[0]?.nodesToCome === 2);
	await meterPoolUntilNow(services, KEY);
	const [charged] = await db.execute<{ used: number; idle: number }>(sql`select
		sum(gpu_ms) filter (where kind = 'compute')::float8 as used, sum(gpu_ms) filter (where kind = 'idle')::float8 as idle from charge`);
	const ran = (await w.attempts()).map((a) => a.gpus * ((a.finishedAt?.getTime() ?? 0) - (a.startedAt?.getTime() ?? 0)));
	expect(ran.every((ms) => ms > 0)).toBe(true);
	expect(charged?.used).toBe(ran.reduce((a, b) => a + b, 0));
	const untilNow = await seen();
	await sleep(200);
	await meterPoolUntilNow(services, KEY);
	const [later] = await db.execute<{ idle: number }>(sql`select sum(gpu_ms)::float8 as idle from charge where kind = 'idle'`);
	expect([later?.idle, untilNow?.pools[0]?.gpus]).toEqual([charged?.idle, 0]);

	nodeGroup.maxNodes = 0;
	await w.submit({ name: "late", gpus: 1 });
	await until("it is released", async () => (await w.attempts()).some((a) => a.state === "evicted"));
	const late = (await w.attempts()).find((a) => a.state === "evicted");
	expect(late).toMatchObject({ startedAt: null, reason: { code: "launch_refused_capacity" } });
	expect((await w.jobs()).find((j) => j.name === "late")).toMatchObject({ state: "queued" });
	await look();
	expect(await seen()).toMatchObject({ pools: [{ nodes: 2, nodesToCome: 2, noneComes: true, gpus: 0, unavailable: 0 }] });
	await driver.close({ stopJobs: false, graceMs: 0 });
});
