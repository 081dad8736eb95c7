import type { SweepRecord, SweptStray } from "#server/db/schema/site.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { InstanceObservation } from "#server/providers/driver.ts";
import type { FailedRegion } from "#server/providers/every-region.ts";

/** A terminated orphan is kept for this long, so that an alert reports it even if it was terminated at once. */
const REPORTED_MS = 5 * MINUTE_MS;
/** The most orphans that one record holds; the oldest are kept. */
const STRAYS_MAX = 200;

export interface Swept {
	nowMs: number;
	sweptRegions: string[];
	failedRegions: readonly FailedRegion[];
	/** Live machines: all, those with a row, and those without. */
	seen: number;
	owned: number;
	strays: readonly InstanceObservation[];
}

/** Builds the record of a sweep. Findings that the previous record has keep their start time. Pure. */
export function sweepRecord(before: SweepRecord | null, swept: Swept): SweepRecord {
	const { nowMs, sweptRegions, failedRegions, seen, owned, strays } = swept;
	const failing = new Map(before?.failedRegions.map((f) => [f.region, f.sinceMs ?? before.atMs]));
	return {
		atMs: nowMs,
		regions: sweptRegions,
		failedRegions: failedRegions.map((f) => ({ ...f, sinceMs: failing.get(f.region) ?? nowMs })),
		...{ seen, owned, orphans: strays.length },
		strays: straysAfter(before?.strays ?? [], swept).slice(0, STRAYS_MAX),
	};
}

/** Oldest first. Orphans in a region that could not be read are kept. */
function straysAfter(before: readonly SweptStray[], { nowMs, sweptRegions, strays }: Swept): SweptStray[] {
	const found = new Map(strays.map((s) => [s.providerInstanceId, s]));
	const kept = before.map((stray): SweptStray => {
		if (found.has(stray.providerInstanceId)) return { ...stray, goneMs: null };
		return sweptRegions.includes(stray.region) ? { ...stray, goneMs: stray.goneMs ?? nowMs } : stray;
	});
	const known = new Set(before.map((s) => s.providerInstanceId));
	const fresh = [...found.values()].filter((s) => !known.has(s.providerInstanceId));
	return [
		...kept.filter(({ goneMs }) => goneMs === null || nowMs - goneMs < REPORTED_MS),
		...fresh.map(({ providerInstanceId, region, zone, instanceType, capacityType, launchedAtMs }) => ({
			...{ providerInstanceId, region, zone, instanceType, capacityType, launchedAtMs },
			sinceMs: nowMs,
			goneMs: null,
		})),
	];
}
