import type { DataRef } from "#server/domain/job.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import type { Snapshot } from "./types.ts";

type Known = NonNullable<Snapshot["data"]>;

/** What it takes to have a job's data at one place. */
export interface Staging {
	/** Copying what is not there yet, ms; at the slowest known speed where the place's is not known. */
	ms: number;
	/** What is copied, GiB; infinite when the size of a set that is not there is not known. */
	moveGiB: number;
	/** What the cloud that holds the nearest copy asks for letting it go, µ$. Copies at home leave free of charge. */
	egressMicroUsd: number;
	/** Of moveGiB, what leaves a cloud, GiB. */
	egressGiB: number;
}

export const NO_STAGING: Staging = { ms: 0, moveGiB: 0, egressMicroUsd: 0, egressGiB: 0 };

/** Where data sets lie and what moving them takes, for all jobs of a cycle. `place` is `provider:region`. */
export interface DataBook {
	/** Kept for each list of data sets, by its identity. */
	staging(data: readonly DataRef[], place: string): Staging;
	/** The longest that staging may take anywhere, ms. */
	longestMs(data: readonly DataRef[]): number;
	/** GiB that a job brings home. */
	outGiB: number;
}

/** Without a view nothing is known of places: data are taken to come from outside, in no time, and only their size counts. */
export function openData(snapshot: Pick<Snapshot, "data" | "offers">): DataBook {
	const { data: view } = snapshot;
	const slowest = view ? slowestOf(view) : null;
	// Made when data are asked for: most cycles have none.
	let kept: WeakMap<readonly DataRef[], Map<string, Staging>> | null = null;
	const egress = view ? egressPrices(snapshot.offers) : NO_PRICES;
	return {
		outGiB: view?.outGiB ?? 0,
		staging(data, place) {
			if (data.length === 0) return NO_STAGING;
			kept ??= new WeakMap();
			const byPlace = kept.get(data) ?? new Map<string, Staging>();
			if (byPlace.size === 0) kept.set(data, byPlace);
			let known = byPlace.get(place);
			if (!known) {
				known = stagingOf(data, place, view, slowest, egress);
				byPlace.set(place, known);
			}
			return known;
		},
		longestMs(data) {
			const gib = data.reduce((sum, d) => sum + (d.sizeGiB ?? 0), 0);
			return slowest === null ? 0 : copyMs(gib, slowest);
		},
	};
}

function slowestOf(view: Known): number | null {
	let slowest: number | null = null;
	for (const speed of view.inboundMiBPerS.values()) if (speed > 0 && (slowest === null || speed < slowest)) slowest = speed;
	return slowest;
}

function copyMs(gib: number, mibPerS: number): number {
	return ((gib * 1024) / mibPerS) * SECOND_MS;
}

interface EgressPrices {
	byPlace: ReadonlyMap<string, number>;
	/** What a place that has no offer here is taken to ask: as much as the dearest. */
	dearest: number;
}

const NO_PRICES: EgressPrices = { byPlace: new Map(), dearest: 0 };

function egressPrices(offers: Snapshot["offers"]): EgressPrices {
	const byPlace = new Map<string, number>();
	let dearest = 0;
	for (const { provider, region, egressMicroUsdPerGiB } of offers) {
		const price = Number(egressMicroUsdPerGiB);
		const place = `${provider}:${region}`;
		byPlace.set(place, Math.max(byPlace.get(place) ?? 0, price));
		dearest = Math.max(dearest, price);
	}
	return { byPlace, dearest };
}

function stagingOf(
	data: readonly DataRef[],
	place: string,
	view: Known | undefined,
	slowest: number | null,
	prices: EgressPrices,
): Staging {
	let [moveGiB, egressGiB, egressMicroUsd, timedGiB] = [0, 0, 0, 0];
	for (const { uri, sizeGiB } of data) {
		const copies = view?.replicas.get(uri) ?? [];
		if (copies.includes(place)) continue;
		moveGiB += sizeGiB ?? Number.POSITIVE_INFINITY;
		timedGiB += sizeGiB ?? 0;
		const price = sourcePrice(copies, prices);
		if (price > 0) {
			egressGiB += sizeGiB ?? 0;
			egressMicroUsd += Math.ceil((sizeGiB ?? 0) * price);
		}
	}
	const speed = view?.inboundMiBPerS.get(place) ?? slowest;
	return { ms: speed === null || speed <= 0 ? 0 : copyMs(timedGiB, speed), moveGiB, egressMicroUsd, egressGiB };
}

/** The cheapest copy's price of leaving, µ$/GiB. A pool's id names no region: it is home, or where the data were made. */
function sourcePrice(copies: readonly string[], prices: EgressPrices): number {
	let least: number | null = null;
	for (const copy of copies) {
		const price = copy.includes(":") ? (prices.byPlace.get(copy) ?? prices.dearest) : 0;
		if (least === null || price < least) least = price;
	}
	return least ?? 0;
}
