import type { CatalogEntry } from "../shared/catalog-entry.ts";
import { EMULATOR_DEFAULTS, type EmulatorOptions } from "../shared/options.ts";

export interface GceEmulatorOptions extends EmulatorOptions {
	catalog: readonly CatalogEntry[];
	/** The only project; default `emulated-project`. */
	project?: string;
	/** GPU quotas of the project in each region, by Google's quota name; others are not reported. */
	gpuQuotas?: Readonly<Record<string, number>>;
	/** Accelerator types that the TPU API has, by zone; default none. */
	tpuTypes?: Readonly<Record<string, readonly string[]>>;
	/** Accepted service accounts; default DEFAULT_ACCOUNT. The signatures of their tokens are not checked. */
	accounts?: readonly string[];
}

export type ResolvedOptions = Required<GceEmulatorOptions>;

export const DEFAULT_PROJECT = "emulated-project";
export const DEFAULT_ACCOUNT = "spillway@emulated-project.iam.gserviceaccount.com";

export function resolveOptions(options: GceEmulatorOptions): ResolvedOptions {
	return { ...EMULATOR_DEFAULTS, project: DEFAULT_PROJECT, gpuQuotas: {}, tpuTypes: {}, accounts: [DEFAULT_ACCOUNT], ...options };
}
