import { SECOND_MS } from "#server/kernel/units.ts";
import { ANY_SOURCE, linkKey } from "./link-speed.ts";
import type { Snapshot } from "./types.ts";

type Known = NonNullable<Snapshot["data"]>;

/** One data set in one place's store, for a job submitted at a given time. */
export type StoredAt = { kind: "there" } | { kind: "copyable"; readyInMs: number; problem: string | null };

/**
 * Whether the place's store has the set as of the job's submission or later, or how long until it does. Null when it cannot be copied there
 * ahead: no store, or no copy at home, where egress is free.
 *
 * A copy that began before the submission may lack data the job needs. It is updated first, which takes a tenth of the whole set's time (an
 * assumption: only changes move). A copy that takes longer than expected also has a tenth left.
 */
export function storedAt(uri: string, gib: number | null, place: string, sinceMs: number, view: Known, nowMs: number): StoredAt | null {
	if (!canBeStored(uri, place, view)) return null;
	const copy = view.copiesAhead?.get(place)?.get(uri);
	if (copy && copy.asOfMs !== null && copy.asOfMs >= sinceMs) return { kind: "there" };
	const link = view.links?.get(linkKey(ANY_SOURCE, place)) ?? view.unknownLink;
	const speed = view.stores?.get(place) ?? view.inboundMiBPerS.get(place) ?? link?.mibPerS ?? null;
	const wholeMs = speed === null || speed <= 0 ? 0 : copyMs(gib ?? 0, speed);
	const pauseMs = Math.max(0, (copy?.retryAtMs ?? 0) - nowMs);
	// A tenth remains until the store is seen to have it, so the set never counts as present too early.
	const leastMs = wholeMs / 10;
	if (copy && copy.asOfMs !== null) return { kind: "copyable", readyInMs: pauseMs + leastMs, problem: copy.problem };
	const begun = copy && copy.beganMs !== null && copy.beganMs >= sinceMs ? nowMs - copy.beganMs : 0;
	return { kind: "copyable", readyInMs: pauseMs + Math.max(wholeMs - begun, leastMs), problem: copy?.problem ?? null };
}

/**
 * A set with a copy at home, declared by the operator, and a region with a store. Valid while the view's lists stay the same.
 */
export function canBeStored(uri: string, place: string, { stores, replicas }: Pick<Known, "stores" | "replicas">): boolean {
	return stores?.has(place) === true && (replicas.get(uri)?.some(isHome) ?? false);
}

/** A cloud's place is `provider:region`; an owned site's is its id. */
function isHome(place: string): boolean {
	return !place.includes(":");
}

export function copyMs(gib: number, mibPerS: number): number {
	return ((gib * 1024) / mibPerS) * SECOND_MS;
}
