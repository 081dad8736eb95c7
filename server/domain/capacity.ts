import type { CapacityType, Provider } from "./vocabulary.ts";

/** Instance type × region/zone × capacity type, with its price and when that was seen. */
export interface Offer {
	/** `provider:region:zone|*:instanceType:capacityType`, of what was bought ahead `:` and its id behind it; stable over time. */
	id: string;
	siteId: string;
	provider: Provider;
	region: string;
	zone: string | null;
	instanceType: string;
	/** Canonical model, e.g. `A100-80GB` (server/rates/accelerators). */
	accelerator: string;
	gpus: number;
	vcpus: number;
	memoryGiB: number;
	capacityType: Exclude<CapacityType, "owned">;
	/** Price of one instance. null: not known; such an offer is shown and never chosen. */
	microUsdPerHour: bigint | null;
	/** The same machine's on-demand price, to say what spot saved. */
	onDemandMicroUsdPerHour: bigint | null;
	/** What the machine lists at on demand, where a negotiated discount makes its prices others. Absent: onDemandMicroUsdPerHour. */
	listMicroUsdPerHour?: bigint;
	/** The negotiated discount that is in its price. Absent: none. */
	discount?: OfferDiscount;
	priceObservedAtMs: number;
	priceSource: string;
	/** Set after a capacity or quota error: not before this time. */
	backoffUntilMs: number | null;
	backoffReason: "insufficient_capacity" | "quota_exceeded" | null;
	/** Money out per GiB leaving this region for home. */
	egressMicroUsdPerGiB: bigint;
	/** Average grid intensity × PUE for carbon estimates; null when no source is known. */
	gridGramsPerKwh: number | null;
	pue: number | null;
	/** Reserved capacity only: instances of it that are free now. Its price is the marginal one, and may be 0. */
	reservedFree?: number | null;
	/**
	 * Reserved capacity only: what was bought ahead that pays for it. Offers of one commitment in several regions share what is free
	 * of it. Absent: the offer stands for itself.
	 */
	commitmentId?: string;
	/** Reserved capacity only: the provider's own name of what machines are launched into. Absent: the provider matches them by itself. */
	reservation?: string;
	/** Longest life that the capacity itself allows (a block's end), UTC ms. */
	availableUntilMs?: number | null;
	/** GPUs that the account's quota still allows here; null or absent: not known. */
	quotaGpusFree?: number | null;
	/** The quota that this is from, in the provider's name and count. Offers of one region and quota share it. */
	quota?: OfferQuota;
	/** Least time that is billed, ms (AWS, Azure, GCP: 60 s). Absent: none. */
	billedMinimumMs?: number;
	/** Its driver can start several instances together, all or none, in one place. Absent: it cannot. */
	gangs?: boolean;
	/** The disk that every instance is launched with. Absent: its driver requests no size. */
	disk?: MachineDisk;
}

/** The root disk that a launch asks for: it is made with the machine and deleted with it. */
export interface MachineDisk {
	/** As the provider calls it: `gp3`, `Premium_LRS`, `pd-balanced`. */
	type: string;
	gib: number;
	/** Price of the whole disk for a calendar month. null: not known; then the disk is in no cost, and is said not to be. */
	microUsdPerMonth: bigint | null;
	/** When the price was read, UTC ms; null without one. */
	observedAtMs: number | null;
	source: string;
}

export interface OfferDiscount {
	id: string;
	/** Millionths of the provider's price. */
	partsPerMillion: number;
	source: string;
}

/** A limit of the account as its provider counts it: GPUs, or cores of a family of sizes. */
export interface OfferQuota {
	/** The provider's name of it. */
	name: string;
	unit: "gpus" | "cores";
	limit: number;
	used: number;
}

export function offerId(o: Pick<Offer, "provider" | "region" | "zone" | "instanceType" | "capacityType">): string {
	return `${o.provider}:${o.region}:${o.zone ?? "*"}:${o.instanceType}:${o.capacityType}`;
}

/** Where an attempt runs, as every list and API shows it. */
export interface Placement {
	siteId: string;
	provider: Provider;
	region: string | null;
	zone: string | null;
	capacityType: CapacityType;
	instanceType: string | null;
	poolId: string | null;
	accelerator: string | null;
	/** In a cloud: the speed that was expected when the job was placed, relative to a machine of speed 1. Absent: 1. */
	speed?: number;
	/** Egress reserved for an attempt at admission, GiB. Only while a cap on egress applies to the job. */
	egressGiB?: number;
}

/** Equal nodes of an owned site. A GPU here is a slot that one attempt holds alone. */
export interface Pool {
	id: string;
	siteId: string;
	accelerator: string;
	nodes: number;
	gpusPerNode: number;
	/** Fully loaded cost of owning one GPU for an hour, used or not, from the rate card. */
	microUsdPerGpuHour: bigint;
	/** Board power of one GPU under load, W, for estimates. */
	wattsPerGpu: number;
	gridGramsPerKwh: number | null;
	pue: number;
}
