import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allocation } from "#server/db/schema/allocation.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { defined } from "#server/kernel/assert.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { SlurmDriver } from "#server/providers/slurm/driver.ts";
import { type SlurmCluster, startSlurm } from "#server/providers/slurm/testing/slurm-cluster.ts";
import { whyNoSlurm } from "#server/providers/slurm/testing/slurm-programs.ts";
import { listSites } from "#server/services/capacity/site/list.ts";
import { systemContext } from "#server/services/core/context.ts";
import { newClusterMemory, syncCluster } from "./cluster-sync.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";
import { World } from "./testing/world.ts";

const missing = whyNoSlurm();
const TRIES = 1_000;

describe.skipIf(missing !== null)(`a real Slurm under the loop${missing === null ? "" : ` (left out: ${missing})`}`, () => {
	let slurm: SlurmCluster | null = null;
	let world: World | null = null;
	beforeAll(async () => {
		slurm = await startSlurm({ nodes: 2, gpusPerNode: 2 });
		world = await World.open({ slots: 0, cloud: { offers: [] } });
	});
	afterAll(async () => {
		await slurm?.stop();
		await world?.database.drop();
	});

	it("lists an unpriced pool, then runs jobs there as far as its GPUs allow, and records Slurm's own times", async () => {
		const [cluster, w] = [defined(slurm, "cluster"), defined(world, "world")];
		const { db } = w.database;
		const folder = path.join(cluster.shared, "site");
		const file = path.join(cluster.shared, "..", "token");
		await mkdir(folder);
		await writeFile(file, await cluster.token());
		const settings = { url: cluster.url, user: "root", token: { file }, folder, accelerators: { h100: "H100-80GB" } };
		const driver = new SlurmDriver("cluster", { ...settings, pendingPollMs: 50, runningPollMs: 100, nodesPollMs: 50 }, systemClock);
		await db.insert(site).values({ id: "cluster", name: "cluster", provider: "slurm", settings, healthy: false });
		const ctx = { ...w.ctx, clock: systemClock, clusters: new Map([["cluster", driver]]) };
		const [cycle, memory] = [newCycleMemory(), newClusterMemory()];
		await syncCluster(ctx, driver, memory);
		const seen = async () => (await listSites(systemContext(db, systemClock, "seed"))).find((s) => s.id === "cluster");
		expect(await seen()).toMatchObject({ healthy: true, healthMessage: expect.stringContaining("gpu-h100x2"), pools: [] });

		await db.insert(pool).values({
			...{ id: "gpu-h100x2", siteId: "cluster", accelerator: "H100-80GB", nodes: 0, gpusPerNode: 2, unavailableSlots: [] },
			...{ microUsdPerGpuHour: 1_000_000n, wattsPerGpu: 700, ownedSince: new Date() },
		});
		memory.healthWrittenMs = 0;
		await syncCluster(ctx, driver, memory);
		expect(await seen()).toMatchObject({ healthMessage: null, pools: [{ nodes: 2, gpusPerNode: 2, unavailable: 0 }] });

		await w.submit({ name: "a", gpus: 2 }, { name: "b", gpus: 1 }, { name: "c", gpus: 2 });
		for (let i = 0; i < TRIES && (await w.jobs()).some((j) => j.finishedAt === null); i++) {
			await runCycle(ctx, cycle);
			await syncCluster(ctx, driver, memory);
			await sleep(20);
		}
		expect((await w.jobs()).map((j) => [j.name, j.state])).toEqual(["a", "b", "c"].map((name) => [name, "succeeded"]));
		const held = await db.select().from(allocation);
		expect(held).toHaveLength(3);
		for (const { startedAt, endedAt } of held) expect(endedAt?.getTime()).toBeGreaterThanOrEqual(startedAt.getTime());
		const theirs = (await cluster.command("squeue", "-h", "-t", "all", "-o", "%j %S %e %T", "-S", "i"))
			.split("\n")
			.map((line) => line.split(" "));
		const seconds = (at: Date | null) => at?.toISOString().slice(0, 19);
		const ours = (await w.attempts()).map((a) => [`spillway-${a.id}`, seconds(a.startedAt), seconds(a.finishedAt), "COMPLETED"]);
		expect(ours.toSorted()).toEqual(theirs.toSorted());
		expect(await driver.observe()).toMatchObject({ attempts: [] });
	});
});
