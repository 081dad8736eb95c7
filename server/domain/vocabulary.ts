/** The closed lists of the product's nouns. Database enums, schemas and screens are all derived from them. */

export const WORKLOAD_CLASSES = ["baseline", "burst", "experimental", "sensitive", "batch_inference"] as const;
export type WorkloadClass = (typeof WORKLOAD_CLASSES)[number];

/** The kind of a site; one driver each. */
export const PROVIDERS = ["local", "slurm", "kubernetes", "aws", "azure", "gcp"] as const;
export type Provider = (typeof PROVIDERS)[number];

export const CLOUD_PROVIDERS = ["aws", "azure", "gcp"] as const satisfies readonly Provider[];
/**
 * Whether starting an attempt only adds it to the site's own queue: it owns its GPUs only once it starts, and others
 * may get them first. True for Slurm, and for Kubernetes when the job's nodes do not exist yet.
 */
export function hasOwnQueue({ provider, settings }: { provider: Provider; settings: Readonly<Record<string, unknown>> }): boolean {
	const { nodeGroups } = settings;
	return provider === "slurm" || (provider === "kubernetes" && Array.isArray(nodeGroups) && nodeGroups.length > 0);
}

export function isCloudProvider(provider: Provider): boolean {
	return (CLOUD_PROVIDERS as readonly Provider[]).includes(provider);
}

export const CAPACITY_TYPES = ["owned", "reserved", "on_demand", "spot"] as const;
export type CapacityType = (typeof CAPACITY_TYPES)[number];

/** Where a person can have a running job continue. */
export const MOVE_DESTINATIONS = ["home", "cloud"] as const;
export type MoveDestination = (typeof MOVE_DESTINATIONS)[number];

/** A person's request to move a running job. */
export interface MoveRequest {
	to: MoveDestination;
	/** The person's name. */
	by: string;
}

export const ROLES = ["platform", "data_scientist", "finance"] as const;
export type Role = (typeof ROLES)[number];

/** The display text of an enum value, in one place. */
export const LABELS = {
	baseline: "baseline",
	burst: "burst",
	experimental: "experimental",
	sensitive: "sensitive",
	batch_inference: "batch inference",
	owned: "owned",
	reserved: "reserved",
	on_demand: "on-demand",
	spot: "spot",
	platform: "Platform engineer",
	data_scientist: "Data scientist",
	finance: "Finance",
} as const satisfies Record<WorkloadClass | CapacityType | Role, string>;
