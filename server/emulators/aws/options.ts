import type { CatalogEntry } from "../shared/catalog-entry.ts";
import { EMULATOR_DEFAULTS, type EmulatorOptions } from "../shared/options.ts";
import type { AccountGroup, CapacityReservation } from "./account-options.ts";

export interface Ec2EmulatorOptions extends EmulatorOptions {
	catalog: readonly CatalogEntry[];
	/** How long a terminated instance is still described. Default: one hour, as at Amazon. */
	terminatedVisibleMs?: number;
	/** Accepted access keys; default `AKIAEMULATED`. Signatures are not checked. */
	accessKeyIds?: readonly string[];
	/**
	 * vCPUs that the account may run at once in each region, by Service Quotas' code such as `L-DB2E81BA`. No quotas if undefined.
	 */
	vcpuQuotas?: Readonly<Record<string, number>>;
	/** The account's capacity reservations. */
	capacityReservations?: readonly CapacityReservation[];
	/** Security groups in addition to those of the default networks. */
	securityGroups?: readonly AccountGroup[];
	/** Names of the account's key pairs. */
	keyPairs?: readonly string[];
}

export type ResolvedOptions = Required<Ec2EmulatorOptions>;

export const DEFAULT_ACCESS_KEY_ID = "AKIAEMULATED";

export function resolveOptions(options: Ec2EmulatorOptions): ResolvedOptions {
	return {
		...EMULATOR_DEFAULTS,
		terminatedVisibleMs: 3_600_000,
		accessKeyIds: [DEFAULT_ACCESS_KEY_ID],
		vcpuQuotas: {},
		capacityReservations: [],
		securityGroups: [],
		keyPairs: [],
		...options,
	};
}
