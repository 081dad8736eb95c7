import type { TimeRange } from "#server/domain/decision.ts";
import type { Reason } from "#server/domain/reasons.ts";

/** What was last recorded about a waiting job, so that a cycle writes only changes. */
export interface Notified {
	code: string;
	p50Ms: number | null;
	/** Jobs ahead in the queue; null if the reason has no position. */
	ahead: number | null;
}

export type NotifiedReasons = Map<string, Notified>;

/** A forecast is recorded again if it moved by more than this and by more than a tenth of the wait. */
const FORECAST_STEP_MS = 5_000;

export function notifiedAbout({ code, facts }: Reason, forecast: TimeRange | null): Notified {
	return { code, p50Ms: forecast?.p50Ms ?? null, ahead: typeof facts.ahead === "number" ? facts.ahead : null };
}

/**
 * Whether to record it again: another reason, a forecast that moved, or another queue position. The first ten positions are
 * exact, so that no two jobs show as first. Later ones are exact to a tenth, because each start moves the whole queue.
 */
export function hasChanged(now: Notified, last: Notified, nowMs: number): boolean {
	if (now.code !== last.code || (now.ahead === null) !== (last.ahead === null)) return true;
	const wait = now.p50Ms === null ? 0 : now.p50Ms - nowMs;
	if (Math.abs((now.p50Ms ?? 0) - (last.p50Ms ?? 0)) > Math.max(FORECAST_STEP_MS, wait / 10)) return true;
	const [ahead, before] = [now.ahead ?? 0, last.ahead ?? 0];
	return ahead !== before && Math.abs(ahead - before) >= Math.min(ahead, before) / 10;
}
