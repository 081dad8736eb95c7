import type { DbOrTx } from "#server/db/client.ts";
import { site } from "#server/db/schema/site.ts";
import type { Placement } from "#server/domain/capacity.ts";
import { type PoolSpeeds, poolSpeedsSchema, speedOfPool } from "#server/domain/pool-speed.ts";
import { resolveAlias } from "#server/rates/accelerators.ts";

/** A pool's speed from its site's setting `speeds` (domain/pool-speed.ts); 1 when unset. */
export function poolSpeed(siteSettings: Record<string, unknown>, pool: { id: string | null; accelerator: string | null }): number {
	return speedOfPool(speedsOf(siteSettings), pool, canonical);
}

/**
 * Speed of the place where an attempt runs or ran. At home it follows the site's current setting, so a corrected setting corrects past
 * runs; in a cloud it is the speed expected at launch.
 */
export type SpeedOf = (placement: Pick<Placement, "siteId" | "poolId" | "accelerator" | "speed">) => number;

export interface Speeds {
	of: SpeedOf;
	/** The highest speed of any place; at least 1. */
	fastest: number;
}

/** Cost: the sites' rows, once. */
export async function readSpeeds(db: DbOrTx): Promise<Speeds> {
	return speedsOfSites(await db.select({ id: site.id, settings: site.settings }).from(site));
}

export function speedsOfSites(sites: readonly { id: string; settings: Record<string, unknown> }[]): Speeds {
	const speeds = new Map(
		sites.flatMap(({ id, settings }): [string, PoolSpeeds][] => (settings["speeds"] ? [[id, speedsOf(settings) ?? {}]] : [])),
	);
	const of: SpeedOf = ({ siteId, poolId, accelerator, speed = 1 }) =>
		poolId === null ? speed : speedOfPool(speeds.get(siteId), { id: poolId, accelerator }, canonical);
	return { of, fastest: Math.max(1, ...[...speeds.values()].flatMap((said) => Object.values(said))) };
}

/** The minimum time that this work took, wherever it ran; set where that may be less than the work (PendingJob). */
export function byClock(completedMs: number, { fastest }: Pick<Speeds, "fastest">): { completedByClockMs?: number } {
	return fastest === 1 || completedMs === 0 ? {} : { completedByClockMs: Math.floor(completedMs / fastest) };
}

function speedsOf(settings: Record<string, unknown>): PoolSpeeds | undefined {
	return poolSpeedsSchema.optional().parse(settings["speeds"]);
}

function canonical(accelerator: string): string {
	return resolveAlias(accelerator) ?? accelerator;
}
