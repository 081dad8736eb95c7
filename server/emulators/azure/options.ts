import type { CatalogEntry } from "../shared/catalog-entry.ts";
import { EMULATOR_DEFAULTS, type EmulatorOptions } from "../shared/options.ts";

export interface AzureEmulatorOptions extends EmulatorOptions {
	/** Zones are written with their region, e.g. `eastus-1`; a region may have none. */
	catalog: readonly CatalogEntry[];
	subscriptionId?: string;
	/** The groups in which machines may be made; a request elsewhere meets ResourceGroupNotFound. */
	resourceGroups?: readonly string[];
	/** The bearer tokens that are let in. Nothing about them is checked but this. */
	accessTokens?: readonly string[];
	/**
	 * Cores that the account may have in each region, by the quota's key (`cores`, `lowPriorityCores` or a family); others are not
	 * reported.
	 */
	coreQuotas?: Readonly<Record<string, number>>;
	/** Machines, or sizes, in one page of a list; Azure alone decides on it. */
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
