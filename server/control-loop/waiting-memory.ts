import type { TimeRange } from "#server/domain/decision.ts";
import type { Reason } from "#server/domain/reasons.ts";

/** What was last written of a waiting job, so that a cycle writes only what changed. */
export interface Told {
	code: string;
	p50Ms: number | null;
	/** How many jobs wait before it; null where its reason does not say. */
	ahead: number | null;
}

export type WaitingMemory = Map<string, Told>;

/** A forecast is written again when it moved by this much, or by a tenth of the wait. */
const FORECAST_STEP_MS = 5_000;

export function toldOf({ code, facts }: Reason, forecast: TimeRange | null): Told {
	return { code, p50Ms: forecast?.p50Ms ?? null, ahead: typeof facts.ahead === "number" ? facts.ahead : null };
}

/**
 * Whether it is told again: another reason, a forecast that moved, another place in line. Up to ten places the line is exact, so
 * that no two jobs are told to be first; further back it is so to a tenth, since all of a long queue moves up with each start.
 */
export function isNews(now: Told, last: Told, nowMs: number): boolean {
	if (now.code !== last.code || (now.ahead === null) !== (last.ahead === null)) return true;
	const wait = now.p50Ms === null ? 0 : now.p50Ms - nowMs;
	if (Math.abs((now.p50Ms ?? 0) - (last.p50Ms ?? 0)) > Math.max(FORECAST_STEP_MS, wait / 10)) return true;
	const [ahead, before] = [now.ahead ?? 0, last.ahead ?? 0];
	return ahead !== before && Math.abs(ahead - before) >= Math.min(ahead, before) / 10;
}
