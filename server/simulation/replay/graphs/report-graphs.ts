import { graphOf } from "#server/domain/pipeline/advance.ts";
import type { RunSpec } from "#server/domain/pipeline/pipeline.ts";
import { round3 } from "../meter.ts";
import type { ReplayedPipeline } from "../types.ts";
import type { LiveGraph } from "./live-graph.ts";

/** Least time that a try of a run needs on a dedicated machine, ms. */
type LeastMsOf = (graph: LiveGraph, run: RunSpec, step: number) => number;

/** Result of each pipeline, in order of submission. */
export function reportGraphs(graphs: readonly LiveGraph[], leastMsOf: LeastMsOf): ReplayedPipeline[] {
	return graphs.map((graph) => {
		const { pipeline, jobs, submittedAtMs, finishedAtMs, refusal } = graph;
		const { deadlineMs } = pipeline.spec;
		const starts = jobs.flatMap(({ firstStartMs }) => firstStartMs ?? []);
		const isDone = finishedAtMs !== null && graph.state === "succeeded";
		const isMet = deadlineMs === null ? null : isDone && finishedAtMs <= deadlineMs;
		return {
			...{ name: pipeline.id, state: graph.state, refusal, submittedAt: isoOf(submittedAtMs) ?? "" },
			startedAt: isoOf(starts.length === 0 ? null : starts.reduce((first, ms) => Math.min(first, ms))),
			...{ finishedAt: isoOf(finishedAtMs), deadlineAt: isoOf(deadlineMs), deadlineMet: isMet },
			avoidableMiss: isMet === false && submittedAtMs + leastMs(graph, leastMsOf) <= (deadlineMs ?? 0),
			...{ runs: graph.runs.length, runsSucceeded: graph.runs.filter(({ state }) => state === "succeeded").length },
			runsStopped: graph.runs.filter(({ stopWhy }) => stopWhy != null).length,
			cloudCostUsd: round3(Number(graph.costMicroUsd) / 1e6),
			emissionsKg: graph.emissionsGrams === null ? null : round3(graph.emissionsGrams / 1000),
		};
	});
}

/** Length of the longest path if each try had a dedicated machine. Skipped steps take no time. */
function leastMs(graph: LiveGraph, leastMsOf: LeastMsOf): number {
	const { steps, parallel } = graph.pipeline.spec;
	const states = Map.groupBy(graph.runs, ({ step }) => step);
	const ends: number[] = [];
	for (const [position, { needs }] of graphOf(steps).entries()) {
		const own = states.get(position) ?? [];
		const isSkipped = own.every(({ state }) => state === "skipped");
		const runs = isSkipped ? [] : (steps[position]?.runs ?? []);
		const times = runs.map((run, at) => leastMsOf(graph, run, position) * Math.max(1, own[at]?.tries ?? 1));
		const longest = times.reduce((most, ms) => Math.max(most, ms), 0);
		const inTurn = times.reduce((sum, ms) => sum + ms, 0) / (parallel ?? Math.max(1, times.length));
		ends.push(needs.reduce((latest, need) => Math.max(latest, ends[need] ?? 0), 0) + Math.max(longest, inTurn));
	}
	return ends.reduce((latest, ms) => Math.max(latest, ms), 0);
}

function isoOf(ms: number | null): string | null {
	return ms === null ? null : new Date(ms).toISOString();
}
