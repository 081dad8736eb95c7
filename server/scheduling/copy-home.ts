import type { DataRef } from "#server/domain/job.ts";
import { type CopyTarget, type EgressPriceOf, storedAt } from "./copy-ahead.ts";
import { LIMITS } from "./limits.ts";
import { isAtHome } from "./offer-residency.ts";
import type { CopyPlan, Snapshot } from "./types.ts";

/** Data that a job waits for at an owned site, without slots. */
export interface HomeCopy extends CopyPlan {
	/** Size of the sets, GiB. */
	gib: number;
	/** When all of them should be there, UTC ms. */
	readyAtMs: number;
	/** Egress still to be held, µ$. */
	microUsd: number;
	/** The last error from copying one of them. */
	problem: string | null;
}

/**
 * The sets that an owned site's store must receive before the job starts there; null: none. Sets that take less than
 * LIMITS.copyAheadLeastMs are fetched by the attempt itself, and sets of unknown size too. Of sets in the site's cache it fetches only
 * changes.
 */
export function copyHome(data: readonly DataRef[], target: CopyTarget, view: Snapshot["data"], priceOf: EgressPriceOf): HomeCopy | null {
	if (view?.stores?.has(target.place) !== true) return null;
	const uris: string[] = [];
	const from: Record<string, string> = {};
	let [gib, waitMs, microUsd] = [0, 0, 0];
	let problem: string | null = null;
	for (const ref of data) {
		// Every owned site reads files of the scheduler's host.
		if (isAtHome(ref) || view.replicas.get(ref.uri)?.includes(target.place)) continue;
		if (view.cached?.get(target.place)?.includes(ref.uri)) continue;
		const stored = storedAt(ref, target, view, priceOf);
		if (stored?.kind !== "copyable" || stored.path.ms < LIMITS.copyAheadLeastMs) continue;
		uris.push(ref.uri);
		from[ref.uri] = stored.path.from;
		gib += ref.sizeGiB ?? 0;
		// One after another, through one link.
		waitMs += stored.readyInMs;
		microUsd += stored.path.microUsd;
		problem ??= stored.problem;
	}
	const readyAtMs = Math.ceil(target.nowMs + waitMs);
	return uris.length === 0 ? null : { place: target.place, uris, from, gib, readyAtMs, microUsd, problem };
}
