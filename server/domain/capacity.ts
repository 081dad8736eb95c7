import { tpuSliceOf } from "./tpu-slice.ts";
import type { CapacityType, Provider } from "./vocabulary.ts";

/** Instance type × region/zone × capacity type, with its price and when that was seen. */
export interface Offer {
	/** `provider:region:zone|*:instanceType:capacityType`, followed by `:` and the commitment's id if it is prepaid. Stable. */
	id: string;
	siteId: string;
	provider: Provider;
	region: string;
	zone: string | null;
	instanceType: string;
	/** Canonical model, e.g. `A100-80GB` (server/rates/accelerators.ts). */
	accelerator: string;
	gpus: number;
	vcpus: number;
	memoryGiB: number;
	capacityType: Exclude<CapacityType, "owned">;
	/** Price of one instance. null: unknown; the offer is shown but never chosen. */
	microUsdPerHour: bigint | null;
	/** On-demand price of the same machine, for computing spot savings. */
	onDemandMicroUsdPerHour: bigint | null;
	/** On-demand list price when a negotiated discount applies. Absent: onDemandMicroUsdPerHour. */
	listMicroUsdPerHour?: bigint;
	/** The negotiated discount included in the price. Absent: none. */
	discount?: OfferDiscount;
	priceObservedAtMs: number;
	priceSource: string;
	/** Set after a capacity or quota error: do not try before this time. */
	backoffUntilMs: number | null;
	backoffReason: "insufficient_capacity" | "quota_exceeded" | null;
	/** Egress price per GiB from this region to the owned cluster. */
	egressMicroUsdPerGiB: bigint;
	/** Average grid intensity × PUE for carbon estimates; null when no source is known. */
	gridGramsPerKwh: number | null;
	pue: number | null;
	/** Reserved capacity only: free instances. The price is the marginal price, and may be 0. */
	reservedFree?: number | null;
	/**
	 * Reserved capacity only: the commitment that pays for it. Offers of one commitment in several regions share its
	 * free instances. Absent: not shared.
	 */
	commitmentId?: string;
	/** Reserved capacity only: the provider's name of the reservation to launch into. Absent: the provider matches automatically. */
	reservation?: string;
	/** When the capacity ends (for example, a capacity block), UTC ms. */
	availableUntilMs?: number | null;
	/** GPUs left in the account's quota here; null or absent: unknown. */
	quotaGpusFree?: number | null;
	/** The quota behind quotaGpusFree, in the provider's name and unit. Offers of one region and quota share it. */
	quota?: OfferQuota;
	/** Minimum billed time, ms (AWS, Azure, GCP: 60 s). Absent: none. */
	billedMinimumMs?: number;
	/** The driver can start several instances in one place, all or none. Absent: it cannot. */
	gangs?: boolean;
	/** Google Cloud only: subnetworks of the region for the GPU interfaces of gangs. Absent: none. */
	gpuSubnetworks?: number;
	/** The disk of every launched instance. Absent: the driver requests no size. */
	disk?: MachineDisk;
}

/** The root disk requested at launch. It is created and deleted with the machine. */
export interface MachineDisk {
	/** As the provider calls it: `gp3`, `Premium_LRS`, `pd-balanced`. */
	type: string;
	gib: number;
	/** Price of the whole disk per calendar month. null: unknown; costs then exclude the disk and say so. */
	microUsdPerMonth: bigint | null;
	/** When the price was read, UTC ms; null without one. */
	observedAtMs: number | null;
	source: string;
}

/** Providers with a driver that stops machines and starts them again. */
const STOPPING_PROVIDERS: ReadonlySet<Provider> = new Set<Provider>(["aws", "azure", "gcp"]);

/**
 * Whether a machine of this offer can be kept stopped. Its disk needs a known price. EC2 does not stop one-time spot requests, Azure and
 * Google may not start a reclaimed spot machine, and hosts of a TPU slice have no power switch.
 */
export function canKeepStopped(offer: Pick<Offer, "provider" | "instanceType" | "capacityType" | "disk">): boolean {
	const { provider, capacityType, disk } = offer;
	if (!STOPPING_PROVIDERS.has(provider) || capacityType !== "on_demand" || tpuSliceOf(offer) !== null) return false;
	return (disk?.microUsdPerMonth ?? null) !== null;
}

export interface OfferDiscount {
	id: string;
	/** Millionths of the provider's price. */
	partsPerMillion: number;
	source: string;
}

/** An account limit in the provider's own unit: GPUs, or cores of a size family. */
export interface OfferQuota {
	/** The provider's name for it. */
	name: string;
	unit: "gpus" | "cores";
	limit: number;
	used: number;
}

export function offerId(o: Pick<Offer, "provider" | "region" | "zone" | "instanceType" | "capacityType">): string {
	return `${o.provider}:${o.region}:${o.zone ?? "*"}:${o.instanceType}:${o.capacityType}`;
}

/** Where an attempt runs, as shown in lists and APIs. */
export interface Placement {
	siteId: string;
	provider: Provider;
	region: string | null;
	zone: string | null;
	capacityType: CapacityType;
	instanceType: string | null;
	poolId: string | null;
	accelerator: string | null;
	/** Cloud only: expected speed at placement, relative to a machine of speed 1. Absent: 1. */
	speed?: number;
	/** Egress reserved for an attempt at admission, GiB. Absent unless an egress cap applies to the job. */
	egressGiB?: number;
	/** Data sets that each machine of the attempt reads from another cloud. Absent: none. */
	reads?: readonly DataRead[];
}

/** A data set that a machine reads from another cloud, with the egress that its hold covers. */
export interface DataRead {
	uri: string;
	/** `provider:region` of the copy. */
	from: string;
	microUsd: number;
}

/** What a machine read from another cloud. */
export interface ReadVolume {
	from: string;
	bytes: number;
	/** The egress that its hold covers, µ$: no more is charged. */
	heldMicroUsd: number;
}

/** Identical nodes of an owned site. Each GPU is a slot that one attempt holds exclusively. */
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
