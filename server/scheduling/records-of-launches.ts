import { HOUR_MS } from "#server/kernel/units.ts";
import { emptyRecord, withHours, withInterruption, withLaunch, withRefusal } from "./records.ts";
import type { OfferRecord } from "./types.ts";

/** One requested instance and its outcome. */
export interface SeenLaunch {
	offerId: string;
	isSpot: boolean;
	/** null if it never came up. */
	launchedAtMs: number | null;
	/** null while it runs. */
	endedAtMs: number | null;
	end: "interrupted" | "refused" | "over_quota" | "other";
}

interface Step {
	launch: SeenLaunch;
	atMs: number;
	/** Change in the offer's number of running machines from then on. */
	running: -1 | 0 | 1;
	apply: (record: OfferRecord) => OfferRecord;
}

/**
 * How offers behaved up to `nowMs`, by offer id: every launch, in the order in which its events became known. Hours count once their
 * machine has ended, or now. A running machine shows at each step that spot was still available.
 */
export function recordsOfLaunches(launches: readonly SeenLaunch[], nowMs: number): Map<string, OfferRecord> {
	const steps = launches.flatMap((launch) => stepsOf(launch, nowMs)).sort((a, b) => a.atMs - b.atMs);
	const records = new Map<string, OfferRecord>();
	const running = new Map<string, number>();
	for (const { launch, atMs, running: by, apply } of steps) {
		const { offerId, isSpot } = launch;
		const live = running.get(offerId) ?? 0;
		const known = records.get(offerId) ?? emptyRecord(atMs, isSpot);
		records.set(offerId, apply(isSpot && live > 0 ? withHours(known, 0, atMs) : known));
		running.set(offerId, live + by);
	}
	return records;
}

function stepsOf(launch: SeenLaunch, nowMs: number): Step[] {
	const { launchedAtMs, endedAtMs, end } = launch;
	const endMs = Math.min(endedAtMs ?? nowMs, nowMs);
	if (launchedAtMs === null) {
		if (endedAtMs === null || endedAtMs > nowMs || (end !== "refused" && end !== "over_quota")) return [];
		const why = end === "refused" ? "capacity" : "quota";
		return [{ launch, atMs: endMs, running: 0, apply: (record) => withRefusal(record, endMs, why) }];
	}
	if (launchedAtMs > nowMs) return [];
	const hours = Math.max(0, endMs - launchedAtMs) / HOUR_MS;
	const apply = (record: OfferRecord): OfferRecord => {
		const ran = withHours(record, hours, endMs);
		return end === "interrupted" && endedAtMs !== null && endedAtMs <= nowMs ? withInterruption(ran, endMs) : ran;
	};
	return [
		{ launch, atMs: launchedAtMs, running: 1, apply: (record) => withLaunch(record, launchedAtMs) },
		{ launch, atMs: endMs, running: -1, apply },
	];
}
