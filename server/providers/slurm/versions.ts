/**
 * The versions of the REST API that the driver supports, the preferred first. v0.0.39 is omitted: every server that has it (23.02
 * to 24.05) also has an adjacent one.
 */
export const VERSIONS = ["v0.0.45", "v0.0.44", "v0.0.43", "v0.0.42", "v0.0.41", "v0.0.40", "v0.0.38", "v0.0.37", "v0.0.36"] as const;
export type ApiVersion = (typeof VERSIONS)[number];

/** The generation with plain numbers and an environment as an object: up to 22.05. */
export function isPlain(version: ApiVersion): boolean {
	return version === "v0.0.38" || version === "v0.0.37" || version === "v0.0.36";
}

/** The best version among the paths of a server's specification. */
export function newestOf(paths: readonly string[]): ApiVersion | null {
	return VERSIONS.find((version) => paths.some((p) => p.startsWith(`/slurm/${version}/`))) ?? null;
}
