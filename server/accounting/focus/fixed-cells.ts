import { LABELS } from "#server/domain/vocabulary.ts";
import type { ChargeCause, ExportFacts } from "./facts.ts";
import { identityOf, type ServiceIdentity, serviceOf } from "./providers.ts";

/** Documented in docs/focus.md, as FOCUS requires; only bill texts can be longer. */
const DESCRIPTION_MAX = 500;

/** Cells that are equal for every charge with the same cause, kind, team and capacity type: built once and used for many rows. */
export interface FixedCells {
	identity: { provider: string; publisher: string; invoiceIssuer: string };
	service: ServiceIdentity;
	zone: string | null;
	region: { id: string; name: string } | null;
	resource: { id: string; name: string | null; type: string } | null;
	sku: { id: string; priceId: string; meter: string; details: string | null } | null;
	commitment: { id: string; type: string; reservationId: string | null; status: "Used" | "Unused" } | null;
	description: string;
	tags: string | null;
}

export function fixedCells(charge: ChargeCause, facts: ExportFacts): FixedCells {
	const owned = charge.capacityType === "owned";
	const service = serviceOf(charge.provider, charge.kind, facts.stored !== null);
	return {
		identity: identityOf(charge.provider, facts.siteName),
		service: facts.billLine && facts.instance === null ? serviceOfLine(facts.billLine, service) : service,
		zone: facts.instance?.zone ?? null,
		// A home site is its own region, because its machines are located there.
		region: owned || charge.region === "" ? { id: charge.siteId, name: facts.siteName } : { id: charge.region, name: charge.region },
		resource: resourceOf(charge, facts),
		sku: skuOf(charge, facts),
		commitment: commitmentOf(charge, facts),
		description: descriptionOf(charge, facts).slice(0, DESCRIPTION_MAX),
		tags: tagsOf(charge, facts),
	};
}

/** As named in the bill. Bills before 1.1 have no subcategory; then ours for the same service, or the category's "Other". */
function serviceOfLine(line: NonNullable<ExportFacts["billLine"]>, own: ServiceIdentity): ServiceIdentity {
	const { serviceName: name, serviceCategory: category, serviceSubcategory } = line;
	return { name, category, subcategory: serviceSubcategory ?? (own.name === name ? own.subcategory : `Other (${category})`) };
}

function resourceOf(charge: ChargeCause, facts: ExportFacts): FixedCells["resource"] {
	if (facts.instance) return { id: facts.instance.resourceId, name: null, type: "Virtual Machine" };
	if (facts.stored !== null && charge.artifactId !== null)
		return { id: charge.artifactId, name: facts.stored.name, type: facts.stored.kind === "copy" ? "Data Copy" : "Result" };
	if (charge.kind === "commitment" && facts.commitment)
		return { id: facts.commitment.id, name: null, type: commitmentType(facts.commitment) };
	if (facts.poolId !== null) return { id: `${charge.siteId}/${facts.poolId}`, name: facts.poolId, type: "GPU Pool" };
	if (facts.billLine?.resourceId) return { id: facts.billLine.resourceId, name: null, type: facts.billLine.resourceType ?? "Resource" };
	return null;
}

/**
 * A SKU is what is used; a SKU price is its price here: the offer's id in the list of offers, or for owned capacity
 * the pool in the rate cards.
 */
function skuOf(charge: ChargeCause, facts: ExportFacts): FixedCells["sku"] {
	const { instance } = facts;
	if (charge.kind === "egress") {
		const id = `${charge.provider}:egress`;
		return { id, priceId: `${id}:${charge.region}`, meter: "Data Transfer Out", details: null };
	}
	if (charge.kind === "storage" && facts.stored) {
		const id = `${charge.provider}:object-storage`;
		return { id, priceId: `${id}:${charge.siteId}`, meter: "Object Storage", details: null };
	}
	if (charge.kind === "storage") {
		const { type, gib } = instance?.disk ?? {};
		const id = `${charge.provider}:disk${type === undefined ? "" : `:${type}`}`;
		const details = type === undefined ? null : JSON.stringify({ DiskSpace: gib, DiskType: "SSD", x_DiskType: type });
		return { id, priceId: `${id}:${charge.region}`, meter: "Disk Storage", details };
	}
	if (instance) {
		const details = JSON.stringify({
			InstanceType: instance.instanceType,
			CoreCount: instance.vcpus,
			MemorySize: instance.memoryGiB,
			GpuCount: instance.gpus,
			OperatingSystem: "Linux",
			x_Accelerator: charge.accelerator,
		});
		return { id: `${charge.provider}:${instance.instanceType}`, priceId: instance.offerId, meter: "Instance Time", details };
	}
	if (facts.poolId !== null && charge.kind !== "commitment") {
		const id = `${charge.siteId}/${facts.poolId}`;
		return { id, priceId: `${id}:owned`, meter: "GPU Time", details: JSON.stringify({ GpuCount: 1, x_Accelerator: charge.accelerator }) };
	}
	if (facts.commitment) {
		const id = `${charge.provider}:commitment`;
		return { id, priceId: `${id}:${facts.commitment.id}`, meter: "Committed Time", details: null };
	}
	return null;
}

function commitmentOf(charge: ChargeCause, { commitment }: ExportFacts): FixedCells["commitment"] {
	if (!commitment || (charge.kind !== "commitment" && charge.capacityType !== "reserved")) return null;
	if (charge.kind === "egress" || charge.kind === "storage" || charge.kind === "credit" || charge.kind === "tax") return null;
	return {
		id: commitment.id,
		type: commitmentType(commitment),
		reservationId: commitment.kind === "reservation" ? commitment.id : null,
		status: charge.kind === "commitment" ? "Unused" : "Used",
	};
}

/** Name of a kind of commitment in an export. */
export function commitmentType(commitment: Pick<NonNullable<ExportFacts["commitment"]>, "kind">): string {
	return commitment.kind === "reservation" ? "Capacity Reservation" : "Usage Commitment";
}

const KIND_WORDS = {
	compute: "time of the command",
	boot: "boot",
	staging: "staging of data",
	idle: "idle, no job used it",
	egress: "data out",
	storage: "disk",
	commitment: "unused part of what was committed",
	credit: "credit of the provider",
	tax: "tax",
	adjustment: "correction",
	kept_warm: "kept warm without a job",
} as const;

function descriptionOf(charge: ChargeCause, facts: ExportFacts): string {
	const { instance, billLine } = facts;
	const what = KIND_WORDS[charge.kind];
	const why = charge.correction === null ? "" : `, ${charge.correction.replaceAll("_", " ")}`;
	if (billLine && !instance) return billLine.description ?? `${billLine.serviceName}: ${what}${why}`;
	if (facts.stored?.kind === "copy") return `Data copy ${facts.stored.name} from ${charge.region}: ${what}${why}`;
	if (facts.stored) return `Result ${facts.stored.name} in ${facts.siteName}: ${charge.kind === "storage" ? "storage" : what}${why}`;
	if (instance) {
		const { disk } = instance;
		if (charge.kind === "storage" && disk)
			return `${disk.gib} GiB of ${disk.type} of a ${instance.instanceType}, ${charge.region}: ${what}${why}`;
		return `${instance.instanceType} (${instance.gpus} x ${charge.accelerator}), ${LABELS[charge.capacityType]}, ${charge.region}: ${what}${why}`;
	}
	if (charge.kind === "commitment") return `${facts.commitment?.id ?? charge.siteId}: ${what}${why}`;
	return `${charge.accelerator} of pool ${facts.poolId ?? charge.siteId} at ${facts.siteName}: ${what}${why}`;
}

/** Spillway's own tags start with `spillway/`, which job labels cannot; labels come from users, unprefixed. */
function tagsOf(charge: ChargeCause, { job }: ExportFacts): string | null {
	if (!job) return null;
	return JSON.stringify({
		...job.labels,
		...(job.project === "" ? {} : { "spillway/project": job.project }),
		...(job.class === "" ? {} : { "spillway/class": job.class }),
		...(charge.jobId === null ? {} : { "spillway/job": charge.jobId, "spillway/job-name": job.name }),
		...(charge.attemptId === null ? {} : { "spillway/attempt": charge.attemptId }),
	});
}
