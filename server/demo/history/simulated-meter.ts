import type { Tx } from "#server/db/client.ts";
import { homeGpuHour } from "#server/db/schema/home-gpu-hour.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { History } from "./synthetic/history.ts";
import type { SimPool } from "./synthetic/scenario.ts";

/** Utilization of a GPU held by a job, permille: random per job, since nothing measures a demo. */
const BUSY_PERMILLE = { min: 620, max: 960 };
const INSERT_ROWS = 1_000;

/** Simulates a meter for the pools of a simulated history, marked `simulated`: idle GPUs read 0, busy ones a random value. */
export async function writeSimulatedMeter(
	tx: Tx,
	{ allocations }: Pick<History, "allocations">,
	pools: readonly Pick<SimPool, "id" | "siteId" | "nodes" | "gpusPerNode">[],
	span: { fromMs: number; toMs: number },
): Promise<void> {
	const rows = pools.flatMap((pool) => rowsOf(pool, allocations, span));
	for (let at = 0; at < rows.length; at += INSERT_ROWS) await tx.insert(homeGpuHour).values(rows.slice(at, at + INSERT_ROWS));
}

function rowsOf(
	pool: Pick<SimPool, "id" | "siteId" | "nodes" | "gpusPerNode">,
	allocations: History["allocations"],
	{ fromMs, toMs }: { fromMs: number; toMs: number },
): (typeof homeGpuHour.$inferInsert)[] {
	const first = Math.ceil(fromMs / HOUR_MS);
	const hours = Math.max(0, Math.floor(toMs / HOUR_MS) - first);
	const permille = new Float64Array(hours);
	for (const { id, poolId, siteId, slots, startedAtMs, endedAtMs } of allocations) {
		if (poolId !== pool.id || siteId !== pool.siteId) continue;
		const drawn = seededRandom(id).int(BUSY_PERMILLE.min, BUSY_PERMILLE.max);
		const end = (endedAtMs ?? toMs) / HOUR_MS - first;
		for (let h = Math.max(0, Math.floor(startedAtMs / HOUR_MS) - first); h < Math.min(hours, end); h++) {
			const overlap = Math.min(end, h + 1) - Math.max(startedAtMs / HOUR_MS - first, h);
			permille[h] = (permille[h] ?? 0) + drawn * slots.length * Math.max(0, overlap);
		}
	}
	const gpus = pool.nodes * pool.gpusPerNode;
	return Array.from(permille, (sum, h) => ({
		...{ siteId: pool.siteId, node: pool.id, hour: new Date((first + h) * HOUR_MS), meter: "simulated" as const, gpus },
		readings: BigInt(gpus),
		permille: BigInt(Math.round(sum)),
	}));
}
