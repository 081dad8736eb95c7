import type { CatalogEntry } from "../shared/catalog-entry.ts";
import { EMULATOR_DEFAULTS, type EmulatorOptions } from "../shared/options.ts";

export interface AzureEmulatorOptions extends EmulatorOptions {
	/** Zones contain their region, e.g. `eastus-1`; a region may have none. */
	catalog: readonly CatalogEntry[];
	subscriptionId?: string;
	/** Groups in which machines may be created; a request elsewhere fails with ResourceGroupNotFound. */
	resourceGroups?: readonly string[];
	/** Accepted bearer tokens. Nothing else about them is checked. */
	accessTokens?: readonly string[];
	/**
	 * Core quotas of the account in each region, by the quota's key (`cores`, `lowPriorityCores` or a family); others are not
	 * reported.
	 */
	coreQuotas?: Readonly<Record<string, number>>;
	/** Machines or sizes per page of a list. Clients cannot choose it, as at Azure. */
	pageSize?: number;
}

export type ResolvedOptions = Required<AzureEmulatorOptions>;

export const EMULATED_SUBSCRIPTION = "00000000-0000-4000-8000-00005b177a71";
export const EMULATED_RESOURCE_GROUP = "spillway";
export const EMULATED_TOKEN = "emulated";

export function resolveOptions(options: AzureEmulatorOptions): ResolvedOptions {
	return {
		...EMULATOR_DEFAULTS,
		subscriptionId: EMULATED_SUBSCRIPTION,
		resourceGroups: [EMULATED_RESOURCE_GROUP],
		accessTokens: [EMULATED_TOKEN],
		coreQuotas: {},
		pageSize: 50,
		...options,
	};
}
