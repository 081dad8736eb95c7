import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { judgePlace } from "#server/policy/judge-place.ts";
import type { JobVerdict, Place } from "#server/policy/types.ts";
import { hardwareFacts, hardwareRemoval, type Machine, type Removal } from "./removal.ts";
import type { Snapshot } from "./types.ts";

/**
 * An offer with what a choice needs of it, worked out once a cycle. Money in plain numbers is for comparing only:
 * µ$ below 2^53 are exact; holds are computed from `offer` in bigint.
 */
export interface OfferRow {
	offer: Offer;
	place: Place;
	machine: Machine;
	/** NaN when the price is missing. */
	microUsdPerHour: number;
	/** g/h of one instance under load; null when grid, PUE or board power is not known. */
	gramsPerHour: number | null;
	/** Price plus weighed carbon: the order of offers for a job of any length, since every offer starts equally soon. */
	weighedMicroUsdPerHour: number;
	/** A price that cannot be trusted. */
	priceRemoval: Removal | null;
	/** After a capacity or quota error: not before this time; 0 when there was none. */
	backoffUntilMs: number;
}

/** All offers, cheapest weighed hour first; those whose price cannot be trusted come last. */
export function openOffers(snapshot: Snapshot): OfferRow[] {
	const watts = new Map<string, number>();
	for (const pool of [...snapshot.pools].sort((a, b) => a.wattsPerGpu - b.wattsPerGpu)) watts.set(pool.accelerator, pool.wattsPerGpu);
	for (const [accelerator, boardWatts] of Object.entries(snapshot.boardWatts ?? {})) watts.set(accelerator, boardWatts);
	const rows = snapshot.offers.map((offer) => rowOf(offer, watts.get(offer.accelerator) ?? null, snapshot));
	// An unknown intensity is weighed as the worst known one per GPU: not knowing must not look green.
	const worst = rows.reduce((max, r) => Math.max(max, r.gramsPerHour === null ? 0 : r.gramsPerHour / Math.max(1, r.offer.gpus)), 0);
	const microPerGram = Number(snapshot.policy.weights.carbonMicroUsdPerTonne) / 1e6;
	for (const row of rows) row.weighedMicroUsdPerHour = row.microUsdPerHour + (row.gramsPerHour ?? worst * row.offer.gpus) * microPerGram;
	return rows.sort(compareRows);
}

function rowOf(offer: Offer, watts: number | null, snapshot: Snapshot): OfferRow {
	const known = watts !== null && offer.gridGramsPerKwh !== null && offer.pue !== null;
	return {
		offer,
		place: {
			siteId: offer.siteId,
			provider: offer.provider,
			region: offer.region,
			instanceType: offer.instanceType,
			capacityType: offer.capacityType,
		},
		machine: { accelerator: offer.accelerator, gpus: offer.gpus, cpus: offer.vcpus, memoryGiB: offer.memoryGiB },
		microUsdPerHour: offer.microUsdPerHour === null ? Number.NaN : Number(offer.microUsdPerHour),
		gramsPerHour: known ? gramsOf(watts * offer.gpus, HOUR_MS, offer.gridGramsPerKwh ?? 0, offer.pue ?? 1) : null,
		weighedMicroUsdPerHour: 0,
		priceRemoval: priceRemovalOf(offer, snapshot),
		backoffUntilMs: offer.backoffUntilMs ?? 0,
	};
}

/** Location-based emissions: W × h ÷ 1000 = kWh; × PUE × gCO2e/kWh. */
export function gramsOf(watts: number, lengthMs: number, gridGramsPerKwh: number, pue: number): number {
	return (watts / 1000) * (lengthMs / HOUR_MS) * pue * gridGramsPerKwh;
}

/** A price of 0, a missing or a stale price is an error to show, never "cheapest"; spot at or over on-demand is no spot. */
function priceRemovalOf(offer: Offer, snapshot: Snapshot): Removal | null {
	const price = offer.microUsdPerHour;
	if (price === null) return { ruleId: null, why: "price_missing", facts: { source: offer.priceSource } };
	if (price <= 0n) return { ruleId: null, why: "price_zero", facts: { hourlyMicroUsd: String(price), source: offer.priceSource } };
	const ageMs = snapshot.nowMs - offer.priceObservedAtMs;
	if (ageMs > snapshot.priceMaxAgeMs) return { ruleId: null, why: "price_stale", facts: { ageMs, maxAgeMs: snapshot.priceMaxAgeMs } };
	const onDemand = offer.onDemandMicroUsdPerHour;
	if (offer.capacityType === "spot" && onDemand !== null && price >= onDemand) {
		return { ruleId: null, why: "spot_not_cheaper", facts: { hourlyMicroUsd: String(price), onDemandHourlyMicroUsd: String(onDemand) } };
	}
	return null;
}

function compareRows(a: OfferRow, b: OfferRow): number {
	if ((a.priceRemoval === null) !== (b.priceRemoval === null)) return a.priceRemoval === null ? -1 : 1;
	const byPrice = priceOrder(a) - priceOrder(b);
	if (byPrice !== 0) return byPrice;
	return a.offer.id < b.offer.id ? -1 : a.offer.id > b.offer.id ? 1 : 0;
}

/** A missing price sorts behind every real one. */
function priceOrder(row: OfferRow): number {
	return Number.isNaN(row.weighedMicroUsdPerHour) ? Number.MAX_VALUE : row.weighedMicroUsdPerHour;
}

/** Offers that one thing removed, with the cheapest of them. */
export interface RemovedGroup {
	ruleId: string | null;
	why: Removal["why"];
	facts: Reason["facts"];
	count: number;
	cheapest: OfferRow;
}

/** The offers as jobs of one shape meet them. */
export interface OfferFit {
	/** Hardware, policy and price allow them; cheapest weighed hour first. Some may be in back-off. */
	eligible: OfferRow[];
	/** Of `eligible`, those not in back-off. */
	usable: OfferRow[];
	/** `usable` with the lowest price first, for budgets: carbon costs no cash. */
	byPrice: () => OfferRow[];
	/** Hardware and policy allow at least one, whatever its price. */
	possible: boolean;
	removed: RemovedGroup[];
}

/**
 * Sifts all offers for a shape: O(offers), done once a shape and only when a job of it may leave or is explained.
 * `policyRemovals` are the rules' answers by row, shared by all shapes to which the same filters apply.
 */
export function fitOffers(rows: readonly OfferRow[], spec: JobSpec, policyRemovals: readonly (Removal | null)[], nowMs: number): OfferFit {
	let byPrice: OfferRow[] | null = null;
	const fit: OfferFit = {
		eligible: [],
		usable: [],
		possible: false,
		removed: [],
		byPrice: () => {
			byPrice ??= [...fit.usable].sort((a, b) => a.microUsdPerHour - b.microUsdPerHour);
			return byPrice;
		},
	};
	const groups = new Map<string, RemovedGroup>();
	const count = (row: OfferRow, ruleId: string | null, why: Removal["why"], facts: Reason["facts"]): void => {
		const key = ruleId === null ? why : `${why}\n${ruleId}`;
		const group = groups.get(key);
		if (group) group.count++;
		else groups.set(key, { ruleId, why, facts, count: 1, cheapest: row });
	};
	for (const [i, row] of rows.entries()) {
		const why = spec.nodes > 1 ? "multi_node_unsupported" : hardwareRemoval(spec, row.machine);
		if (why) {
			count(row, null, why, NO_FACTS);
			continue;
		}
		const byPolicy = policyRemovals[i];
		if (byPolicy) {
			count(row, byPolicy.ruleId, byPolicy.why, byPolicy.facts);
			continue;
		}
		fit.possible = true;
		if (row.priceRemoval) {
			count(row, null, row.priceRemoval.why, row.priceRemoval.facts);
			continue;
		}
		fit.eligible.push(row);
		if (row.backoffUntilMs <= nowMs) fit.usable.push(row);
		else count(row, null, "capacity_backoff", { untilMs: row.backoffUntilMs, why: row.offer.backoffReason });
	}
	fit.removed = [...groups.values()].map((g) =>
		g.facts === NO_FACTS ? { ...g, facts: hardwareFacts(spec, g.cheapest.machine, g.why) } : g,
	);
	return fit;
}

const NO_FACTS: Reason["facts"] = {};

/** The rules' answer for every row: one evaluation for each set of filters, not for each job. */
export function judgeRows(rows: readonly OfferRow[], verdict: JobVerdict): (Removal | null)[] {
	return rows.map((row) => judgePlace(verdict, row.place));
}
