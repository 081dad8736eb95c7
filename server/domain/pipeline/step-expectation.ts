/** What the quote expects of a step. Times in ms. */
export interface StepExpectation {
	/** Expected run time of one run, and of the longest path from its end to the pipeline's end. */
	runMs: number;
	restMs: number;
	/** P90 minus median, for the step and summed over that path. Absent: unknown. */
	spreadMs?: number;
	restSpreadMs?: number;
	/** Maximum cloud spend of one run, retries included, micro-dollars as text. Absent: 0. */
	maximumMicroUsd?: string;
}
