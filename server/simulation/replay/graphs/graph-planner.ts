import type { RunMove, RunView } from "#server/domain/pipeline/advance.ts";
import type { ReplayPipeline } from "../types.ts";

/** How a strategy places a whole graph. Strategies without one see each step as a job with the pipeline's deadline. */
export interface GraphPlanner {
	/** Quotes the graph and holds its worst case. Returns why it is refused; null if it is admitted. */
	submit(pipeline: ReplayPipeline): string | null;
	/** Deadline of a run of this step that starts now, UTC ms; null if the pipeline has none. */
	deadlineOf(pipeline: ReplayPipeline, step: number, nowMs: number): number | null;
	/** Releases what the remaining runs cannot need. */
	advanced(pipeline: ReplayPipeline, runs: readonly RunView[], moves: readonly RunMove[]): void;
}
