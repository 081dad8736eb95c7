import type { DbOrTx } from "#server/db/client.ts";
import { env } from "#server/env.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import { regionTransfers } from "#server/rates/region-transfer.ts";
import { ANY_PLACE, linkKey, UNKNOWN_LINK } from "#server/scheduling/link-speed.ts";
import type { DataView as KnownData } from "#server/scheduling/types.ts";
import { pricedSource } from "#server/services/ledger/charge/copy-egress.ts";
import { readEgressSteps } from "#server/services/pricing/offer/egress-volume.ts";
import { readCachedSets } from "./cached-sets.ts";
import { readLinkSpeeds } from "./inbound-speeds.ts";
import { readDataSets, readDataStores } from "./read-lists.ts";
import type { DataSet } from "./schemas.ts";
import { readCopiesAhead, readCopySpeeds, readStoreSpeeds } from "./stored-copies.ts";

const REGION_TRANSFERS: NonNullable<KnownData["regionTransfers"]> = new Map(
	regionTransfers().map(({ from, to, microUsdPerGiB }) => [linkKey(from, to ?? ANY_PLACE), Number(microUsdPerGiB)]),
);

/**
 * Location, transfer speed and egress cost of data sets for the core. Parts that did not change are those of `before`, because
 * results computed with them are still valid.
 */
export async function readDataView(db: DbOrTx, nowMs: number, before: KnownData | undefined): Promise<KnownData> {
	const sets = await readDataSets(db);
	const links = await readLinkSpeeds(db, nowMs, sets);
	const filesStayHome = !isOneHost();
	const steps = await readEgressSteps(db, nowMs);
	const replicas = new Map(sets.map(({ uri, copies }) => [uri, copies.map(({ at }) => at)]));
	const prices = egressPricesOf(sets);
	const known: KnownData = {
		...{ replicas: same(before?.replicas, replicas) ?? replicas, inboundMiBPerS: new Map(), filesStayHome },
		...{ links: same(before?.links, links) ?? links, unknownLink: UNKNOWN_LINK },
		regionTransfers: REGION_TRANSFERS,
		...(prices.size > 0 && { egressPrices: same(before?.egressPrices, prices) ?? prices }),
		...(steps.size > 0 && { egressSteps: same(before?.egressSteps, steps) ?? steps }),
	};
	const stores = await readDataStores(db);
	if (stores.length === 0) return known;
	const speeds = await readStoreSpeeds(db);
	const copySpeeds = await readCopySpeeds(db);
	const cached = await readCachedSets(db);
	const sources = new Map(
		sets
			.map(({ uri, copies }) => [uri, copies.flatMap(({ at, readUri }) => (readUri === undefined ? [] : [at]))] as const)
			.filter(([, at]) => at.length > 0),
	);
	const fresh = new Map(stores.map(({ at }) => [at, speeds.get(at) ?? null]));
	const freshMs = freshTimes(sets);
	return {
		...{ ...known, stores: same(before?.stores, fresh) ?? fresh },
		...(sources.size > 0 && { sources: same(before?.sources, sources) ?? sources }),
		...(freshMs.size > 0 && { freshMs: same(before?.freshMs, freshMs) ?? freshMs }),
		...(cached.size > 0 && { cached: same(before?.cached, cached) ?? cached }),
		...(copySpeeds.size > 0 && { copySpeeds: same(before?.copySpeeds, copySpeeds) ?? copySpeeds }),
	};
}

/** Of all places with listed copies: the company may have data in clouds where it has no site, and so no offers. */
function egressPricesOf(sets: readonly DataSet[]): Map<string, number> {
	const places = new Set(sets.flatMap(({ copies }) => copies.map(({ at }) => at)));
	return new Map(
		[...places].flatMap((place) => {
			const source = pricedSource(place);
			return source ? [[place, Number(egressMicroUsdPerGiB(source.provider, source.region))] as const] : [];
		}),
	);
}

/** How long copies of each set count for later jobs, ms; sets without such a time are absent. */
export function freshTimes(sets: readonly DataSet[]): Map<string, number> {
	return new Map(sets.flatMap(({ uri, freshDays }) => (freshDays === undefined ? [] : [[uri, freshDays * DAY_MS] as const])));
}

/** The previous view, when it is equal. */
function same<T extends ReadonlyMap<string, unknown>>(before: T | undefined, now: T): T | undefined {
	return before !== undefined && JSON.stringify([...before]) === JSON.stringify([...now]) ? before : undefined;
}

/** The view with the current content of stores; the same object while the content is the same. */
export class CopiesNow {
	#last: { view: KnownData; text: string; with: KnownData } | null = null;

	/** Cost: nothing without stores, else one read. */
	async add(db: DbOrTx, view: KnownData | undefined): Promise<KnownData | undefined> {
		if (!view?.stores) return view;
		const copiesAhead = await readCopiesAhead(db);
		const text = JSON.stringify([...copiesAhead].map(([place, copies]) => [place, [...copies]]));
		if (this.#last?.view !== view || this.#last.text !== text) this.#last = { view, text, with: { ...view, copiesAhead } };
		return this.#last.with;
	}
}

/** The machines of emulated clouds are processes of this host. */
function isOneHost(): boolean {
	const { SPILLWAY_AWS_ENDPOINT, SPILLWAY_AZURE_ENDPOINT, SPILLWAY_GCP_ENDPOINT } = env();
	return [SPILLWAY_AWS_ENDPOINT, SPILLWAY_AZURE_ENDPOINT, SPILLWAY_GCP_ENDPOINT].some((endpoint) => endpoint !== undefined);
}
