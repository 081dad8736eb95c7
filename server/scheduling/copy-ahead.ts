import { SECOND_MS } from "#server/kernel/units.ts";
import { ANY_SOURCE, linkKey } from "./link-speed.ts";
import type { CopyAhead, Snapshot } from "./types.ts";

type Known = NonNullable<Snapshot["data"]>;

/** A way to copy a set into a store. */
export interface CopyPath {
	/** Where it is read: `provider:region`, or the id of an owned site. */
	from: string;
	/** Time for the whole set, ms. */
	ms: number;
	/** Egress of the whole set at the source's most expensive tier, µ$. Egress from home is free. */
	microUsd: number;
}

/** One data set in one place's store, for a job submitted at a given time. */
export type StoredAt = { kind: "there" } | { kind: "copyable"; path: CopyPath; readyInMs: number; problem: string | null };

export interface CopyTarget {
	/** The place of the store. */
	place: string;
	/** A copy must have the data as of this time, UTC ms: the job's submission. */
	sinceMs: number;
	nowMs: number;
	/** When the job could start there, UTC ms: the cheapest path that is ready by then is used. */
	byMs: number;
}

/** Egress price of a cloud region, µ$/GiB. */
export type EgressPriceOf = (place: string) => number;

/**
 * Whether the place's store has the set as of the job's submission or later, or how long until it does. Null when it cannot be copied there
 * ahead: no store, or no source that the scheduler can read.
 *
 * A copy that began before the submission may lack data the job needs. It is updated first, which takes a tenth of the whole set's time (an
 * assumption: only changes move). A copy that takes longer than expected also has a tenth left.
 */
export function storedAt(
	set: { uri: string; sizeGiB: number | null },
	target: CopyTarget,
	view: Known,
	priceOf: EgressPriceOf,
): StoredAt | null {
	const { place, sinceMs, nowMs } = target;
	if (view.stores?.has(place) !== true) return null;
	const copy = view.copiesAhead?.get(place)?.get(set.uri);
	if (copy && countsFor(copy, set.uri, sinceMs, view)) return { kind: "there" };
	const path = choosePath(pathsTo(set, target, view, priceOf), target);
	if (path === null) return null;
	const pauseMs = Math.max(0, (copy?.retryAtMs ?? 0) - nowMs);
	// A tenth remains until the store is seen to have it, so the set never counts as present too early.
	const leastMs = path.ms / 10;
	const found = { kind: "copyable", path: copy?.held ? { ...path, microUsd: 0 } : path, problem: copy?.problem ?? null } as const;
	if (copy && copy.asOfMs !== null) return { ...found, readyInMs: pauseMs + leastMs };
	const begun = copy && copy.beganMs !== null && copy.beganMs >= sinceMs ? nowMs - copy.beganMs : 0;
	return { ...found, readyInMs: pauseMs + Math.max(path.ms - begun, leastMs) };
}

/** Whether a job submitted at `sinceMs` can use a copy as it is: its data is not older than the job, or still counts as fresh. */
function countsFor({ asOfMs }: Pick<CopyAhead, "asOfMs">, uri: string, sinceMs: number, { freshMs }: Pick<Known, "freshMs">): boolean {
	return asOfMs !== null && asOfMs + (freshMs?.get(uri) ?? 0) >= sinceMs;
}

/** The cheapest path that is ready in time, the faster one of equal prices; if none is, the fastest. */
export function choosePath(paths: readonly CopyPath[], { nowMs, byMs }: Pick<CopyTarget, "nowMs" | "byMs">): CopyPath | null {
	const inTime = paths.filter(({ ms }) => nowMs + ms <= byMs);
	const byPrice = (a: CopyPath, b: CopyPath) => a.microUsd - b.microUsd || a.ms - b.ms;
	const byTime = (a: CopyPath, b: CopyPath) => a.ms - b.ms || a.microUsd - b.microUsd;
	const [best] = inTime.length > 0 ? inTime.sort(byPrice) : [...paths].sort(byTime);
	return best ?? null;
}

/** A source in a cloud needs a known size, because its egress is held in budgets before it is copied. */
function pathsTo({ uri, sizeGiB }: { uri: string; sizeGiB: number | null }, target: CopyTarget, view: Known, priceOf: EgressPriceOf) {
	const { place } = target;
	return [...sourcesOf(uri, target, view)].flatMap((from): CopyPath[] => {
		const price = isHome(from) ? 0 : priceOf(from);
		if (from === place || (sizeGiB === null && price > 0)) return [];
		const speed = speedOf(from, place, view);
		return [{ from, ms: speed === null || speed <= 0 ? 0 : copyMs(sizeGiB ?? 0, speed), microUsd: Math.ceil((sizeGiB ?? 0) * price) }];
	});
}

/** Listed copies at home, listed copies with an address for the scheduler, and complete copies that Spillway made. */
function sourcesOf(uri: string, { sinceMs }: CopyTarget, view: Known): Set<string> {
	const sources = new Set([...(view.replicas.get(uri) ?? []).filter(isHome), ...(view.sources?.get(uri) ?? [])]);
	for (const [at, copies] of view.copiesAhead ?? []) {
		const copy = copies.get(uri);
		// A copy that is being updated now is incomplete.
		if (copy && countsFor(copy, uri, sinceMs, view) && copy.beganMs === null) sources.add(at);
	}
	return sources;
}

function speedOf(from: string, place: string, view: Known): number | null {
	const key = linkKey(from, place);
	const learned = view.copySpeeds?.get(key) ?? (isHome(from) ? view.stores?.get(place) : null) ?? view.links?.get(key)?.mibPerS;
	const any = view.links?.get(linkKey(ANY_SOURCE, place)) ?? view.unknownLink;
	return learned ?? view.stores?.get(place) ?? view.inboundMiBPerS.get(place) ?? any?.mibPerS ?? null;
}

/**
 * A set with a listed copy that the scheduler can read, and a place with a store. Valid while the view's lists stay the same.
 */
export function canBeStored(
	uri: string,
	place: string,
	{ stores, replicas, sources }: Pick<Known, "stores" | "replicas" | "sources">,
): boolean {
	if (stores?.has(place) !== true) return false;
	return (replicas.get(uri)?.some(isHome) ?? false) || (sources?.get(uri)?.some((from) => from !== place) ?? false);
}

/** A cloud's place is `provider:region`; an owned site's is its id. */
export function isHome(place: string): boolean {
	return !place.includes(":");
}

export function copyMs(gib: number, mibPerS: number): number {
	return ((gib * 1024) / mibPerS) * SECOND_MS;
}
