/** Which machines of a gang save: rank 0 for all, or each machine its own shards of the same step. */
export const CHECKPOINT_RANKS = ["first", "all"] as const;
/** What a rank needs to continue: the shards of all ranks, or its own. */
export const CHECKPOINT_RESTORES = ["all", "own"] as const;

const STEP = /(\d{1,15})$/;

/**
 * The newest step in a checkpoint folder with entries named by step, such as `step-200`, `global_step200`,
 * `checkpoint-200` or `iter_0000200`; null if there is none. `paths` are relative, with "/".
 */
export function newestStep(paths: readonly string[]): { step: number; folder: string } | null {
	let newest: { step: number; folder: string } | null = null;
	for (const path of paths) {
		const end = path.indexOf("/");
		const folder = end < 0 ? null : path.slice(0, end);
		const digits = folder === null ? undefined : STEP.exec(folder)?.[1];
		if (folder === null || digits === undefined) continue;
		const step = Number(digits);
		if (newest === null || step > newest.step) newest = { step, folder };
	}
	return newest;
}

/**
 * Whether a last upload fits before the machine ends. Without a measured speed, the upload is tried. A tenth of the
 * time is kept in reserve.
 */
export function fitsBeforeEnd({ bytes, bytesPerMs, leftMs }: { bytes: number; bytesPerMs: number | null; leftMs: number | null }): boolean {
	return leftMs === null || bytesPerMs === null || bytes / bytesPerMs <= 0.9 * leftMs;
}
