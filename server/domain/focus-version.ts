/** Versions of FOCUS that Spillway exports; the first is the default. */
export const FOCUS_VERSIONS = ["1.2", "1.3", "1.4"] as const;
export type ExportVersion = (typeof FOCUS_VERSIONS)[number];

/** Datasets of an export; Contract Commitment exists since FOCUS 1.3. */
export const FOCUS_DATASETS = ["cost-and-usage", "contract-commitment"] as const;
