import type { TimeSpread } from "../types.ts";

/** Time from the end of a step's dependencies to its own end, ms. */
export interface StepTime extends TimeSpread {
	/** Indexes of the steps that it needs, all smaller than its own. */
	needs: readonly number[];
}

/** The schedule of one step. All ms; `start` and `end` count from the start of the pipeline, by medians. */
export interface StepPath {
	startMs: number;
	endMs: number;
	/** Median of the longest path from its end to the pipeline's. */
	restMs: number;
	/** P90 minus median, for the step and summed over that path. */
	spreadMs: number;
	restSpreadMs: number;
	/** How much later it may end without delaying the pipeline's end. */
	slackMs: number;
	isCritical: boolean;
}

/** Earliest times, longest remaining paths and slack of each step. Linear in steps and edges. @param steps in topological order */
export function findCriticalPath(steps: readonly StepTime[]): StepPath[] {
	const paths = steps.map(({ p50Ms, p90Ms }): StepPath => {
		const spreadMs = Math.max(0, p90Ms - p50Ms);
		return { startMs: 0, endMs: 0, restMs: 0, spreadMs, restSpreadMs: 0, slackMs: 0, isCritical: false };
	});
	for (const [at, { needs, p50Ms }] of steps.entries()) {
		const own = paths[at];
		if (!own) continue;
		own.startMs = needs.reduce((latest, need) => Math.max(latest, paths[need]?.endMs ?? 0), 0);
		own.endMs = own.startMs + p50Ms;
	}
	const endMs = paths.reduce((latest, path) => Math.max(latest, path.endMs), 0);
	for (let at = steps.length - 1; at >= 0; at--) {
		const [step, own] = [steps[at], paths[at]];
		if (!step || !own) continue;
		for (const need of step.needs) {
			const before = paths[need];
			if (!before || step.p50Ms + own.restMs < before.restMs) continue;
			before.restMs = step.p50Ms + own.restMs;
			before.restSpreadMs = own.spreadMs + own.restSpreadMs;
		}
		own.slackMs = Math.max(0, endMs - own.endMs - own.restMs);
		own.isCritical = own.slackMs < 1;
	}
	return paths;
}

/** Expected time of a step, and the longest path behind it. Unknown spreads are 0. */
export type StepShare = Pick<StepPath, "restMs" | "spreadMs" | "restSpreadMs"> & { runMs: number };

/**
 * When a step that starts now must end so that the pipeline meets its deadline: its median time, plus a share of the slack in proportion to
 * its uncertainty compared with the path after it. Without slack each step gets its share of the time left.
 */
export function deadlineOfStep(step: StepShare, deadlineMs: number, nowMs: number): number {
	const { runMs, restMs, spreadMs, restSpreadMs } = step;
	const leftMs = deadlineMs - nowMs;
	const wholeMs = runMs + restMs;
	if (leftMs <= 0 || wholeMs <= 0) return deadlineMs;
	const slackMs = leftMs - wholeMs;
	const uncertainMs = spreadMs + restSpreadMs;
	if (slackMs <= 0 || uncertainMs <= 0) return nowMs + Math.round((leftMs * runMs) / wholeMs);
	return nowMs + Math.round(runMs + (slackMs * spreadMs) / uncertainMs);
}
