import type { DataRead } from "#server/domain/capacity.ts";
import type { DataRef } from "#server/domain/job.ts";
import { copyMs, isHome, storedAt } from "./copy-ahead.ts";
import { copyHome, type HomeCopy } from "./copy-home.ts";
import type { EgressStep } from "./egress.ts";
import { ANY_PLACE, ANY_SOURCE, linkKey, sourceOf, UNKNOWN_LINK } from "./link-speed.ts";
import { isAtHome } from "./offer-residency.ts";
import type { Snapshot } from "./types.ts";

type Known = NonNullable<Snapshot["data"]>;

/** `low` ≤ `high`, ms. */
export interface MsRange {
	low: number;
	high: number;
}

const NO_TIME: MsRange = { low: 0, high: 0 };

/** Time and cost of staging a job's data at one place. */
export interface Staging {
	/** Expected time to copy the missing data, ms. */
	ms: number;
	/** The same at the tenth and ninetieth percentiles, ms. */
	rangeMs: MsRange;
	/** GiB to copy; infinite when the size of a missing set is unknown. */
	moveGiB: number;
	/** Egress of the data that each machine reads, at the cloud with the cheapest copy, µ$. Egress from home is free. */
	egressMicroUsd: number;
	/** The part of moveGiB that leaves a cloud for each machine. */
	egressGiB: number;
	/** Egress of copying ahead, once for all machines. */
	copyMicroUsd: number;
	copyGiB: number;
	/** Data sets that each machine reads from another cloud. */
	reads: readonly DataRead[];
	/** Time before the launch until these sets are in the place's store, ms; not billed. */
	waitMs: number;
	/** Sets to be copied there before the launch. */
	copyFirst: readonly string[];
	/** By set: where it is copied from. */
	copyFrom: Readonly<Record<string, string>>;
	/** The last error from copying one of them. */
	problem: string | null;
}

/** Ways to get the data there. */
export interface StagingWays extends Staging {
	/** Via a store of the place: data at home is copied into it before the launch. null: no such store, or nothing to copy. */
	ahead: Staging | null;
	/** A set that a machine there cannot fetch by itself; null if it can fetch all. */
	outOfReach: string | null;
}

const NO_PREFERENCE: readonly string[] = [];
const NO_READS: readonly DataRead[] = [];
const NO_SOURCES: Readonly<Record<string, string>> = {};

export const NO_STAGING: StagingWays = {
	...{ ms: 0, rangeMs: NO_TIME, moveGiB: 0, egressMicroUsd: 0, egressGiB: 0, copyMicroUsd: 0, copyGiB: 0, reads: NO_READS },
	...{ waitMs: 0, copyFirst: NO_PREFERENCE },
	...{ copyFrom: NO_SOURCES, problem: null, ahead: null, outOfReach: null },
};

/** Location and transfer time of data sets, for all jobs of a cycle. `place` is `provider:region`. */
export interface DataBook {
	/**
	 * Cached for each list of data sets, by its identity. Copies in stores count for a job submitted at `sinceMs` if they are at least that
	 * new. Without `sinceMs` no copies count.
	 */
	staging(data: readonly DataRef[], place: string, sinceMs?: number | null): StagingWays;
	/** What the store of an owned site must receive before the job starts there, which is possible at `byMs`; null: nothing. */
	copyHome(data: readonly DataRef[], siteId: string, sinceMs: number, byMs: number): HomeCopy | null;
	/** Longest possible staging anywhere, ms: at the low end of the slowest known link. */
	longestMs(data: readonly DataRef[]): number;
	/** GiB that a job sends home. */
	outGiB: number;
	/** Price of the next GiB out of a place (egress.ts); undefined if unknown. */
	egressSteps(place: string): readonly EgressStep[] | undefined;
}

/** Without a view, nothing is known about places: data comes from outside, in no time, and only its size counts. */
export function openData(snapshot: Pick<Snapshot, "data" | "offers" | "nowMs">): DataBook {
	const { data: view, nowMs } = snapshot;
	const slowest = view ? slowestOf(view) : null;
	// Built on first use: most cycles have no data.
	let kept: WeakMap<readonly DataRef[], Map<string, StagingWays>> | null = null;
	const egress = view ? egressPrices(snapshot.offers, view) : NO_PRICES;
	return {
		outGiB: view?.outGiB ?? 0,
		egressSteps: (place) => view?.egressSteps?.get(place),
		staging(data, place, sinceMs = null) {
			if (data.length === 0) return NO_STAGING;
			kept ??= new WeakMap();
			const byPlace = kept.get(data) ?? new Map<string, StagingWays>();
			if (byPlace.size === 0) kept.set(data, byPlace);
			const stored = sinceMs !== null && view?.stores?.has(place) === true;
			const key = stored ? `${place} ${sinceMs}` : place;
			let known = byPlace.get(key);
			if (!known) {
				known = stagingOf(data, { place, sinceMs: stored ? sinceMs : null, nowMs }, view, slowest, egress);
				byPlace.set(key, known);
			}
			return known;
		},
		copyHome: (data, place, sinceMs, byMs) => copyHome(data, { place, sinceMs, byMs, nowMs }, view, (from) => priceFrom(from, egress)),
		longestMs(data) {
			const gib = data.reduce((sum, d) => sum + (d.sizeGiB ?? 0), 0);
			return slowest === null ? 0 : copyMs(gib, slowest);
		},
	};
}

/** The low end of the slowest link; the published figures where no link is known. */
function slowestOf(view: Known): number | null {
	let slowest: number | null = null;
	const consider = (speed: number): void => {
		if (speed > 0 && (slowest === null || speed < slowest)) slowest = speed;
	};
	for (const speed of view.inboundMiBPerS.values()) consider(speed);
	for (const { lowMiBPerS } of view.links?.values() ?? []) consider(lowMiBPerS);
	return slowest ?? view.unknownLink?.lowMiBPerS ?? null;
}

/** Time to move that many GiB over a link: expected, and the range from fast to slow. */
type LinkTimes = [ms: number, low: number, high: number];

function linkTimes(gib: number, from: string, place: string, view: Known | undefined, slowest: number | null): LinkTimes {
	const link = view?.links?.get(linkKey(from, place)) ?? view?.links?.get(linkKey(ANY_SOURCE, place));
	const exact = link ? null : view?.inboundMiBPerS.get(place);
	const { unknownLink } = view ?? {};
	if (link || (exact === undefined && unknownLink)) {
		const { mibPerS, lowMiBPerS, highMiBPerS } = link ?? unknownLink ?? UNKNOWN_LINK;
		return [copyMs(gib, mibPerS), copyMs(gib, highMiBPerS), copyMs(gib, lowMiBPerS)];
	}
	const speed = exact ?? slowest;
	const ms = speed === null || speed <= 0 ? 0 : copyMs(gib, speed);
	return [ms, ms, ms];
}

interface EgressPrices {
	byPlace: ReadonlyMap<string, number>;
	/** The egress price of a place without an offer or a listed price: the most expensive one. */
	highest: number;
}

const NO_PRICES: EgressPrices = { byPlace: new Map(), highest: 0 };

function egressPrices(offers: Snapshot["offers"], view: Known): EgressPrices {
	const byPlace = new Map<string, number>(view.egressPrices);
	let highest = 0;
	for (const { provider, region, egressMicroUsdPerGiB } of offers) {
		const price = Number(egressMicroUsdPerGiB);
		const place = `${provider}:${region}`;
		byPlace.set(place, Math.max(byPlace.get(place) ?? 0, price));
		highest = Math.max(highest, price);
	}
	return { byPlace, highest };
}

function stagingOf(
	data: readonly DataRef[],
	{ place, sinceMs, nowMs }: { place: string; sinceMs: number | null; nowMs: number },
	view: Known | undefined,
	slowest: number | null,
	prices: EgressPrices,
): StagingWays {
	let [moveGiB, waitMs] = [0, 0];
	const [direct, ahead]: [LinkTimes, LinkTimes] = [
		[0, 0, 0],
		[0, 0, 0],
	];
	const [directReads, aheadReads, copied] = [newEgress(), newEgress(), newEgress()];
	let [outOfReach, problem]: (string | null)[] = [null, null];
	const copyFirst: string[] = [];
	const copyFrom: Record<string, string> = {};
	for (const ref of data) {
		const { uri, sizeGiB } = ref;
		const copies = view?.replicas.get(uri) ?? [];
		if (copies.includes(place)) continue;
		const target = { place, sinceMs: sinceMs ?? 0, nowMs, byMs: Number.POSITIVE_INFINITY };
		const stored = view && sinceMs !== null ? storedAt(ref, target, view, (from) => priceFrom(from, prices)) : null;
		if (stored?.kind === "there") continue;
		if (stored) {
			copyFirst.push(uri);
			copyFrom[uri] = stored.path.from;
			addEgress(copied, ref, { ...stored.path, isCharged: false });
			// One after another, through one link.
			waitMs += stored.readyInMs;
			problem ??= stored.problem;
		}
		if (view?.filesStayHome && isAtHome(ref)) outOfReach ??= uri;
		moveGiB += sizeGiB ?? Number.POSITIVE_INFINITY;
		const times = linkTimes(sizeGiB ?? 0, sourceOf(copies), place, view, slowest);
		for (const [i, ms] of times.entries()) {
			direct[i] = (direct[i] ?? 0) + ms;
			if (!stored) ahead[i] = (ahead[i] ?? 0) + ms;
		}
		const nearest = cheapestCopy(copies, place, prices, view);
		if (nearest === null) continue;
		const read = { from: nearest.from, microUsd: Math.ceil((sizeGiB ?? 0) * nearest.price), isCharged: nearest.isCharged };
		addEgress(directReads, ref, read);
		if (!stored) addEgress(aheadReads, ref, read);
	}
	const copying = { copyMicroUsd: copied.microUsd, copyGiB: copied.gib, waitMs, copyFirst, copyFrom, problem: problem ?? null };
	const later = { moveGiB, ...costOf(aheadReads), ...timeOf(ahead), ...copying };
	return {
		...{ ...NO_STAGING, moveGiB, ...costOf(directReads), ...timeOf(direct) },
		...{ ahead: copyFirst.length === 0 ? null : later, outOfReach: outOfReach ?? null },
	};
}

function timeOf([ms, low, high]: LinkTimes): Pick<Staging, "ms" | "rangeMs"> {
	return { ms, rangeMs: { low, high } };
}

interface Egress {
	gib: number;
	microUsd: number;
	reads: DataRead[];
}

function newEgress(): Egress {
	return { gib: 0, microUsd: 0, reads: [] };
}

/** `isCharged`: the price is certain, so the machine's bytes are charged. */
function addEgress(
	sum: Egress,
	{ uri, sizeGiB }: DataRef,
	{ from, microUsd, isCharged }: { from: string; microUsd: number; isCharged: boolean },
): void {
	if (microUsd <= 0) return;
	sum.gib += sizeGiB ?? 0;
	sum.microUsd += microUsd;
	if (isCharged) sum.reads.push({ uri, from, microUsd });
}

function providerOf(place: string): string {
	return place.split(":", 1)[0] ?? place;
}

function costOf({ gib, microUsd, reads }: Egress): Pick<Staging, "egressGiB" | "egressMicroUsd" | "reads"> {
	return { egressGiB: gib, egressMicroUsd: microUsd, reads };
}

function priceFrom(place: string, { byPlace, highest }: EgressPrices): number {
	return byPlace.get(place) ?? highest;
}

/** The copy with the lowest price of reading it at a place. A pool's id names no region: it is home. Null without listed copies. */
function cheapestCopy(copies: readonly string[], place: string, prices: EgressPrices, view: Known | undefined): ReadPrice | null {
	let best: ReadPrice | null = null;
	for (const from of copies) {
		const read = readPrice(from, place, prices, view);
		if (best === null || read.price < best.price) best = read;
	}
	return best;
}

interface ReadPrice {
	from: string;
	/** µ$/GiB. */
	price: number;
	/** Whether the price is certain: the machine's bytes are charged. */
	isCharged: boolean;
}

/** Between regions of one cloud an unknown price is held at the price to the internet, which is higher. */
function readPrice(from: string, place: string, prices: EgressPrices, view: Known | undefined): ReadPrice {
	if (isHome(from)) return { from, price: 0, isCharged: false };
	if (providerOf(from) !== providerOf(place)) return { from, price: priceFrom(from, prices), isCharged: true };
	const transfers = view?.regionTransfers;
	const known = transfers?.get(linkKey(from, place)) ?? transfers?.get(linkKey(from, ANY_PLACE));
	return { from, price: known ?? priceFrom(from, prices), isCharged: known !== undefined };
}
