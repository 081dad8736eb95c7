import { diskMicroUsdPerHourMax } from "#server/accounting/disk.ts";
import type { Offer, Placement } from "#server/domain/capacity.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { gpuNicsOf, hasInterconnect, needsInterconnect } from "#server/domain/interconnect.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { type TpuSlice, tpuSliceOf } from "#server/domain/tpu-slice.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { judgePlace } from "#server/policy/judge-place.ts";
import type { JobVerdict, Place } from "#server/policy/types.ts";
import { mountRemovalOf } from "./mounts.ts";
import { type Copies, copiesOf, residencyOf } from "./offer-residency.ts";
import type { OfferRates } from "./records.ts";
import { hardwareFacts, type Machine, offeredHardwareRemoval, type Removal } from "./removal.ts";
import type { ZoneModel, ZoneRecord } from "./spot-guarantee/types.ts";
import type { OfferRecord, Snapshot } from "./types.ts";

/**
 * An offer with the inputs of a choice, computed once per cycle. Plain numbers for money are only for comparisons: µ$ below
 * 2^53 are exact; holds are computed from `offer` in bigint.
 */
export interface OfferRow {
	offer: Offer;
	place: Place;
	placement: Placement;
	machine: Machine;
	/** Whether its machines can be launched with a high-bandwidth interconnect between them. */
	interconnect: boolean;
	/** The slice that its machines are hosts of; null: none. */
	slice: TpuSlice | null;
	/** Its index in the order of all offers. */
	index: number;
	/** NaN when the price is missing. Excludes its disk. */
	microUsdPerHour: number;
	/** The maximum of any month; 0 for a disk without a known price. */
	diskMicroUsdPerHour: number;
	/** g/h of one instance under load; null if grid, PUE or board power is unknown. */
	gramsPerHour: number | null;
	/** Price, disk and weighted carbon. This ranks offers for a job of any length, because every offer starts equally soon. */
	rankingMicroUsdPerHour: number;
	/** Set if the price cannot be trusted. */
	priceRemoval: Removal | null;
	/** Earliest time after a capacity or quota error; 0 if there was none. */
	backoffUntilMs: number;
	/** `provider:region`. */
	placeKey: string;
	/** A quota that one plan must not allocate twice: its free units, and the units that each machine uses. null: no known quota. */
	quota: { key: string; free: number; each: number } | null;
	/** Cached by holdOf (cost.ts). */
	lastHold: { lifeMs: number; instances: number; rentMicroUsd: bigint } | null;
	/** Offers of the same capacity in the same place, including this one. One offer's record is informative about the others. */
	likes: readonly string[];
	/** Cached by cost.ts: the rates from these records and similar ones, in one minute; last requested by the cycle of these terms. */
	lastRates: { terms: object; step: number; records: readonly (OfferRecord | undefined)[]; rates: OfferRates } | null;
	/** Cached by spot-zone.ts: rates per hour, from their records, at which spot in these zones becomes unavailable and available. */
	lastModel: { step: number; seen: readonly ZoneRecord[]; model: ZoneModel } | null;
}

/** All offers, lowest ranking price first; those with an untrusted price come last. */
function openOffers(snapshot: Snapshot): OfferRow[] {
	const watts = new Map<string, number>();
	for (const pool of [...snapshot.pools].sort((a, b) => a.wattsPerGpu - b.wattsPerGpu)) watts.set(pool.accelerator, pool.wattsPerGpu);
	for (const [accelerator, boardWatts] of Object.entries(snapshot.boardWatts ?? {})) watts.set(accelerator, boardWatts);
	const rows = snapshot.offers.map((offer) => rowOf(offer, watts.get(offer.accelerator) ?? null, snapshot));
	// An unknown intensity is ranked as the worst known one per GPU: not knowing must not look green.
	const worst = rows.reduce((max, r) => Math.max(max, r.gramsPerHour === null ? 0 : r.gramsPerHour / Math.max(1, r.offer.gpus)), 0);
	const microPerGram = Number(snapshot.policy.weights.carbonMicroUsdPerTonne) / 1e6;
	// The same applies to a disk with an unknown price: it is in no cost, and must not make its offer the cheapest.
	const highestDisk = rows.reduce((max, r) => Math.max(max, r.diskMicroUsdPerHour), 0);
	for (const row of rows) {
		const carbon = (row.gramsPerHour ?? worst * row.offer.gpus) * microPerGram;
		const disk = row.offer.disk?.microUsdPerMonth === null ? highestDisk : row.diskMicroUsdPerHour;
		row.rankingMicroUsdPerHour = row.microUsdPerHour + disk + carbon;
	}
	likesOf(rows);
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
		placement: placementOf(offer),
		interconnect: hasInterconnect(offer),
		slice: tpuSliceOf(offer),
		index: 0,
		machine: { accelerator: offer.accelerator, gpus: offer.gpus, cpus: offer.vcpus, memoryGiB: offer.memoryGiB },
		microUsdPerHour: offer.microUsdPerHour === null ? Number.NaN : Number(offer.microUsdPerHour),
		diskMicroUsdPerHour: Number(diskMicroUsdPerHourMax(offer.disk)),
		gramsPerHour: known ? gramsOf(watts * offer.gpus, HOUR_MS, offer.gridGramsPerKwh ?? 0, offer.pue ?? 1) : null,
		rankingMicroUsdPerHour: 0,
		priceRemoval: priceRemovalOf(offer, snapshot),
		backoffUntilMs: offer.backoffUntilMs ?? 0,
		placeKey: `${offer.provider}:${offer.region}`,
		quota: quotaOf(offer),
		lastHold: null,
		likes: NONE,
		lastRates: null,
		lastModel: null,
	};
}

const NONE: readonly string[] = [];

/** The same accelerator and capacity type in one zone. Its machine sizes differ, but become available and unavailable together. */
function likesOf(rows: readonly OfferRow[]): void {
	const likes = new Map<string, string[]>();
	const keyOf = ({ siteId, provider, region, zone, accelerator, capacityType }: Offer): string =>
		[siteId, provider, region, zone ?? "", accelerator, capacityType].join("\n");
	for (const { offer } of rows) {
		const key = keyOf(offer);
		const ids = likes.get(key);
		if (ids) ids.push(offer.id);
		else likes.set(key, [offer.id]);
	}
	for (const row of rows) row.likes = likes.get(keyOf(row.offer))?.toSorted() ?? NONE;
}

/**
 * A quota belongs to the account: all offers with its name share it, as GPUs or cores. Without a name it is one for GPUs, per model and
 * capacity type in a region.
 */
function quotaOf(offer: Offer): OfferRow["quota"] {
	const { quota, quotaGpusFree = null, siteId, region, accelerator, capacityType, gpus, vcpus } = offer;
	if (quota) {
		const each = quota.unit === "cores" ? vcpus : gpus;
		return { key: `${siteId}\n${region}\n${quota.name}`, free: quota.limit - quota.used, each };
	}
	return quotaGpusFree === null ? null : { key: `${siteId}\n${region}\n${accelerator}\n${capacityType}`, free: quotaGpusFree, each: gpus };
}

/** Which quota it is, its size and its use, if the provider reports them. */
export function quotaFacts(offer: Offer, free: { freeGpus: number; askedGpus: number }): Reason["facts"] {
	const { quota } = offer;
	return quota ? { ...free, quota: quota.name, unit: quota.unit, limit: quota.limit, used: quota.used } : free;
}

function placementOf(offer: Offer): Placement {
	const { siteId, provider, region, zone, capacityType, instanceType, accelerator } = offer;
	return { siteId, provider, region, zone, capacityType, instanceType, poolId: null, accelerator };
}

/** Location-based emissions: W × h ÷ 1000 = kWh; × PUE × gCO2e/kWh. */
export function gramsOf(watts: number, lengthMs: number, gridGramsPerKwh: number, pue: number): number {
	return (watts / 1000) * (lengthMs / HOUR_MS) * pue * gridGramsPerKwh;
}

/**
 * A price of 0 or a missing or stale price is an error to show, never "cheapest". Spot at or above the on-demand price is not used.
 * Reserved capacity with a known free amount has a contract's marginal price: it may be 0, and it does not become stale.
 */
function priceRemovalOf(offer: Offer, snapshot: Snapshot): Removal | null {
	const price = offer.microUsdPerHour;
	const contracted = offer.capacityType === "reserved" && (offer.reservedFree ?? null) !== null;
	if (contracted && price !== null && price >= 0n) return null;
	if (price === null) return { ruleId: null, why: "price_missing", facts: { source: offer.priceSource } };
	if (price <= 0n) return { ruleId: null, why: "price_zero", facts: { hourlyMicroUsd: String(price), source: offer.priceSource } };
	const ageMs = snapshot.nowMs - offer.priceObservedAtMs;
	if (ageMs > snapshot.priceMaxAgeMs)
		return { ruleId: null, why: "price_stale", facts: { observedAtMs: offer.priceObservedAtMs, maxAgeMs: snapshot.priceMaxAgeMs } };
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

/** A missing price sorts after every real one. */
function priceOrder(row: OfferRow): number {
	return Number.isNaN(row.rankingMicroUsdPerHour) ? Number.MAX_VALUE : row.rankingMicroUsdPerHour;
}

/** Offers excluded for one reason, with the cheapest of them. */
export interface RemovedGroup {
	ruleId: string | null;
	why: Removal["why"];
	facts: Reason["facts"];
	count: number;
	cheapest: OfferRow;
}

/** The offers for jobs of one shape. */
export interface OfferFit {
	/** Allowed by hardware, policy, residency, price and free capacity; lowest ranking price first. Some may be in back-off. */
	eligible: OfferRow[];
	/** Those of `eligible` that are not in back-off themselves. */
	usable: OfferRow[];
	/** `eligible`, lowest price first, for budgets: carbon costs no cash. Sorted on first use. */
	byPrice: () => readonly OfferRow[];
	/** The eligible row of an offer, by its id. */
	byId: (offerId: string) => OfferRow | undefined;
	/** Whether hardware and policy allow any offer, whatever its price. */
	possible: boolean;
	removed: RemovedGroup[];
	/** Offers that only the policy's rules exclude. */
	barred: () => readonly OfferRow[];
	/** Exclusions grouped by explain.ts at one moment, by kind and length of run. */
	explained: { atMs: number; groups: Map<string, readonly ExplainedGroup[]> };
}

export type ExplainedGroup = Explanation["removed"][number];

interface OfferKind {
	machine: Machine;
	rows: OfferRow[];
	/** Whether any of its offers support gangs. */
	gangs: boolean;
}

/** All offers of a cycle, in order, and by machine kind: hardware is checked once per kind. */
export interface OfferBook {
	rows: readonly OfferRow[];
	kinds: readonly OfferKind[];
	/** Where data sets have copies, if any of them is restricted to home. */
	copies: Copies | null;
	mounts: Snapshot["mounts"];
}

export function openOfferBook(snapshot: Snapshot): OfferBook {
	const rows = openOffers(snapshot);
	const kinds = new Map<string, OfferKind>();
	for (const [index, row] of rows.entries()) {
		row.index = index;
		const { accelerator, gpus, cpus, memoryGiB } = row.machine;
		const key = `${gpus} ${cpus} ${memoryGiB} ${accelerator}`;
		const kind = kinds.get(key);
		const gangs = row.offer.gangs === true;
		if (kind) {
			kind.rows.push(row);
			kind.gangs ||= gangs;
		} else kinds.set(key, { machine: row.machine, rows: [row], gangs });
	}
	return { rows, kinds: [...kinds.values()], copies: copiesOf(snapshot), mounts: snapshot.mounts };
}

/** The rules' result for every row, with the key of its group: one evaluation for each set of filters, not for each job. */
export type PolicyRemovals = readonly ({ removal: Removal; key: string } | null)[];

export function judgeRows(rows: readonly OfferRow[], verdict: JobVerdict): PolicyRemovals {
	return rows.map((row) => {
		const removal = judgePlace(verdict, row.place);
		return removal && { removal, key: `${removal.why}\n${removal.ruleId ?? ""}` };
	});
}

/**
 * Filters all offers for a shape: at most O(offers), once per shape and only when a job of that shape may leave or is explained.
 * `policyRemovals` is shared by all shapes with the same filters.
 */
export function fitOffers(book: OfferBook, spec: JobSpec, policyRemovals: PolicyRemovals, nowMs: number): OfferFit {
	const groups = new Map<string, RemovedGroup>();
	const count = (key: string, row: OfferRow, removal: Removal, by: number): void => {
		const group = groups.get(key);
		if (!group) groups.set(key, { ...removal, count: by, cheapest: row });
		else {
			group.count += by;
			if (row.index < group.cheapest.index) Object.assign(group, { cheapest: row, facts: removal.facts });
		}
	};
	const residency = residencyOf(spec, book.copies);
	const mount = mountRemovalOf(spec, book.mounts);
	const eligible: OfferRow[] = [];
	let possible = false;
	for (const { machine, rows, gangs } of book.kinds) {
		const why = spec.nodes > 1 && !gangs ? "multi_node_unsupported" : offeredHardwareRemoval(spec, machine);
		const first = rows[0];
		if (why && first) {
			count(why, first, { ruleId: null, why, facts: hardwareFacts(spec, machine, why) }, rows.length);
			continue;
		}
		for (const row of rows) {
			const byPolicy = policyRemovals[row.index];
			const permanent = byPolicy?.removal ?? gangRemoval(spec, row) ?? residency(row) ?? mount(row.offer.siteId);
			const out = permanent ?? row.priceRemoval ?? scarcityRemoval(spec, row.offer);
			if (out) count(byPolicy?.key ?? out.why, row, out, 1);
			else eligible.push(row);
			if (!permanent) possible = true;
		}
	}
	eligible.sort((a, b) => a.index - b.index);
	const usable = eligible.filter((row) => row.backoffUntilMs <= nowMs);
	for (const row of eligible) {
		if (row.backoffUntilMs > nowMs) count("capacity_backoff", row, backoffRemoval(row.backoffUntilMs, row.offer.backoffReason), 1);
	}
	let byPrice: readonly OfferRow[] | null = null;
	let byId: ReadonlyMap<string, OfferRow> | null = null;
	return {
		eligible,
		usable,
		byPrice: () => {
			byPrice ??= [...eligible].sort((a, b) => a.microUsdPerHour - b.microUsdPerHour || a.index - b.index);
			return byPrice;
		},
		byId: (offerId) => {
			byId ??= new Map(eligible.toReversed().map((row) => [row.offer.id, row]));
			return byId.get(offerId);
		},
		possible,
		removed: [...groups.values()],
		explained: { atMs: Number.NaN, groups: new Map() },
		barred: () =>
			book.rows.filter(
				(row) =>
					policyRemovals[row.index] != null &&
					!(offeredHardwareRemoval(spec, row.machine) ?? gangRemoval(spec, row) ?? residency(row) ?? mount(row.offer.siteId)) &&
					!(row.priceRemoval ?? scarcityRemoval(spec, row.offer)),
			),
	};
}

function gangRemoval(spec: JobSpec, { offer, interconnect, slice }: OfferRow): Removal | null {
	if (slice !== null && slice.hosts !== spec.nodes)
		return { ruleId: null, why: "hardware_slice", facts: { has: offer.instanceType, hosts: slice.hosts, askedNodes: spec.nodes } };
	if (spec.nodes > 1 && offer.gangs !== true) return { ruleId: null, why: "multi_node_unsupported", facts: { askedNodes: spec.nodes } };
	if (!needsInterconnect(spec) || interconnect) return null;
	const missing = gpuNicsOf(offer.instanceType) > 0 && { needsSubnetworks: gpuNicsOf(offer.instanceType), region: offer.region };
	const facts = { has: offer.instanceType, spot: offer.capacityType === "spot", ...missing };
	return { ruleId: null, why: "hardware_interconnect", facts };
}

/** Whether too few are free for all machines of the job together. */
function scarcityRemoval(spec: JobSpec, offer: Offer): Removal | null {
	const { reservedFree = null, quotaGpusFree = null } = offer;
	if (offer.capacityType === "reserved" && reservedFree !== null && reservedFree < spec.nodes) {
		return { ruleId: null, why: "reserved_full", facts: { freeInstances: reservedFree, askedNodes: spec.nodes } };
	}
	const askedGpus = spec.nodes * offer.gpus;
	if (quotaGpusFree === null || quotaGpusFree >= askedGpus) return null;
	return { ruleId: null, why: "quota_exceeded", facts: quotaFacts(offer, { freeGpus: quotaGpusFree, askedGpus }) };
}

export function backoffRemoval(untilMs: number, why: string | null): Removal {
	return { ruleId: null, why: "capacity_backoff", facts: { untilMs, why } };
}
