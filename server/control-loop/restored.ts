import { inArray } from "drizzle-orm";
import { job } from "#server/db/schema/job.ts";
import { jobIdOf } from "#server/kernel/ids.ts";
import type { FoundMachine } from "#server/services/capacity/instance/kept.ts";
import { markRestored, type Restored, readRestored, recordFound } from "#server/services/capacity/instance/restored.ts";
import { isSilent, readHeartbeat } from "#server/services/core/heartbeat.ts";
import type { LoopContext } from "./context.ts";
import { pause } from "./leadership.ts";
import { messageOf } from "./messages.ts";
import { compareWithCloud } from "./sweep.ts";

const LOOK_EVERY_MS = 5_000;

type Found = { [K in "unknown" | "missing" | "failedSites"]: NonNullable<Restored[K]> };

/**
 * Waits while the database is a restored one that no person has reviewed. The clouds may run machines that this database has no
 * record of: a sweep would terminate them, and a launch could run their jobs twice. Until then it only lists such machines for
 * the review.
 */
export async function awaitReview(ctx: LoopContext, signal: AbortSignal, heartbeat: () => Promise<void>): Promise<void> {
	await detectRestored(ctx);
	let isListed = false;
	while (!signal.aborted) {
		const restored = await readRestored(ctx.db);
		if (!restored) return;
		await heartbeat();
		if (!isListed) {
			const found = await compareWithClouds(ctx);
			await recordFound(ctx.db, { ...restored, ...found });
			ctx.log("warn", "The database was restored: nothing is launched or terminated until `spillway restore --reviewed`", {
				backupAt: restored.backupAt,
				...{ unknownMachines: found.unknown.length, missingMachines: found.missing.length, failedSites: found.failedSites },
			});
			isListed = found.failedSites.length === 0;
		}
		await pause(LOOK_EVERY_MS, signal);
	}
}

/**
 * Detects a database that another tool restored. Every machine has a row before it exists, so one that was launched after the
 * last heartbeat of this database and has no row is of a later state of it.
 */
async function detectRestored(ctx: LoopContext): Promise<void> {
	const last = await readHeartbeat(ctx.db);
	const nowMs = ctx.clock.nowMs();
	if (last === null || !isSilent(last, nowMs) || (await readRestored(ctx.db))) return;
	const newer = await Promise.all(
		[...ctx.clouds.values()].map(async (driver) => {
			try {
				const { strays } = await compareWithCloud(ctx, driver);
				return strays.filter(({ instanceId, launchedAtMs }) => instanceId !== null && launchedAtMs > last.atMs);
			} catch (error) {
				ctx.log("warn", "Could not check whether the database was restored", { siteId: driver.siteId, error: messageOf(error) });
				return [];
			}
		}),
	);
	if (newer.flat().length === 0) return;
	await markRestored(ctx.db, { backupAt: new Date(last.atMs).toISOString(), restoredAt: new Date(nowMs).toISOString() });
}

async function compareWithClouds(ctx: LoopContext): Promise<Found> {
	const failedSites: string[] = [];
	const found = await Promise.all(
		[...ctx.clouds.values()].map(async (driver) => {
			const { siteId } = driver;
			const compared = await compareWithCloud(ctx, driver).catch(() => void failedSites.push(siteId));
			return { siteId, strays: compared?.strays ?? [], missing: compared?.missing ?? [] };
		}),
	);
	const unknown = found.flatMap(({ siteId, strays }) =>
		strays.map((seen) => ({ ...machineOf(siteId, seen), jobId: seen.instanceId === null ? null : jobIdOf(seen.instanceId) })),
	);
	const missing = found.flatMap(({ siteId, missing }) =>
		missing.map((row) => ({
			...machineOf(siteId, { ...row, providerInstanceId: row.providerInstanceId ?? "", launchedAtMs: row.launchedAt?.getTime() ?? null }),
			jobId: row.jobId,
		})),
	);
	const ids = [...unknown, ...missing].flatMap(({ jobId }) => jobId ?? []);
	const rows = ids.length === 0 ? [] : await ctx.db.select({ id: job.id, state: job.state }).from(job).where(inArray(job.id, ids));
	const states = new Map(rows.map(({ id, state }) => [id, state]));
	const withState = <T extends { jobId: string | null }>(one: T) => ({ ...one, jobState: states.get(one.jobId ?? "") ?? null });
	return { unknown: unknown.map(withState), missing: missing.map(withState), failedSites };
}

function machineOf(
	siteId: string,
	machine: Pick<FoundMachine, "region" | "zone" | "providerInstanceId" | "instanceType" | "capacityType" | "launchedAtMs">,
) {
	const { region, zone, providerInstanceId, instanceType, capacityType, launchedAtMs } = machine;
	return { siteId, region, zone, providerInstanceId, instanceType, capacityType, launchedAtMs };
}
