import type { CatalogEntry } from "../shared/catalog-entry.ts";
import { EMULATOR_DEFAULTS, type EmulatorOptions } from "../shared/options.ts";

export interface GceEmulatorOptions extends EmulatorOptions {
	catalog: readonly CatalogEntry[];
	/** The one project that there is; default `emulated-project`. */
	project?: string;
	/** GPUs that the project may have in each region, by Google's name of the quota; others are not reported. */
	gpuQuotas?: Readonly<Record<string, number>>;
	/** Service accounts that are let in; default DEFAULT_ACCOUNT. That they signed their tokens is not checked. */
	accounts?: readonly string[];
}

export type ResolvedOptions = Required<GceEmulatorOptions>;

export const DEFAULT_PROJECT = "emulated-project";
export const DEFAULT_ACCOUNT = "spillway@emulated-project.iam.gserviceaccount.com";

export function resolveOptions(options: GceEmulatorOptions): ResolvedOptions {
	return { ...EMULATOR_DEFAULTS, project: DEFAULT_PROJECT, gpuQuotas: {}, accounts: [DEFAULT_ACCOUNT], ...options };
}
