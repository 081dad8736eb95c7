import { readRestored, recordFound } from "#server/services/capacity/instance/restored.ts";
import type { LoopContext } from "./context.ts";
import { pause } from "./leadership.ts";
import { findStrays } from "./sweep.ts";

const LOOK_EVERY_MS = 5_000;

/**
 * Waits while the database is a restored one that no person has reviewed. The clouds may run machines that this database has no
 * record of: a sweep would terminate them, and a launch could run their jobs twice. Until then it only lists such machines for
 * the review.
 */
export async function awaitReview(ctx: LoopContext, signal: AbortSignal, heartbeat: () => Promise<void>): Promise<void> {
	let isListed = false;
	while (!signal.aborted) {
		const restored = await readRestored(ctx.db);
		if (!restored) return;
		await heartbeat();
		if (!isListed) {
			const failedSites: string[] = [];
			const found = await Promise.all(
				[...ctx.clouds.values()].map(async (driver) => {
					const strays = await findStrays(ctx, driver).catch(() => void failedSites.push(driver.siteId));
					return (strays ?? []).map(({ region, providerInstanceId, instanceType }) => ({
						...{ siteId: driver.siteId, region, providerInstanceId, instanceType },
					}));
				}),
			);
			const unknown = found.flat();
			await recordFound(ctx.db, { ...restored, unknown, failedSites });
			ctx.log("warn", "The database was restored: nothing is launched or terminated until `spillway restore --reviewed`", {
				backupAt: restored.backupAt,
				...{ unknownMachines: unknown.length, failedSites },
			});
			isListed = failedSites.length === 0;
		}
		await pause(LOOK_EVERY_MS, signal);
	}
}
