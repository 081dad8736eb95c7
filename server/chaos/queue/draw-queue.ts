import type { JobSpec } from "#server/domain/job.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { seededRandom } from "#server/kernel/random.ts";

/** A job of a run, by a name that is its own; `exitCode` is how its command ends. */
export interface DrawnJob {
	key: string;
	gpus: number;
	seconds: number;
	exitCode: number;
	/** Theirs, by plain `sbatch`: whether its owner lets it leave. Ours: null. */
	optsIn: boolean | null;
	/** It runs its command by `srun`. */
	steps: boolean;
}

/**
 * Half of them submitted to Spillway and half to the cluster itself, of all sizes that a node has. `longest`: seconds; the shortest
 * is half of it, so that a queue forms before the first is over.
 */
export function drawQueue(
	seed: number,
	{ count, gpusPerNode, longest }: { count: number; gpusPerNode: number; longest: number },
): DrawnJob[] {
	const random = seededRandom(`queue ${seed}`);
	const sizes = [2, 4, 8].filter((size) => size <= gpusPerNode);
	return Array.from({ length: count }, (_, i) => ({
		key: `${i % 2 === 0 ? "theirs" : "ours"}-${String(i).padStart(2, "0")}`,
		gpus: sizes[random.int(0, sizes.length - 1)] ?? gpusPerNode,
		seconds: random.int(Math.ceil(longest / 2), longest),
		exitCode: i % 7 === 6 ? 3 : 0,
		optsIn: i % 2 === 0 ? i % 10 !== 8 : null,
		steps: i % 3 === 0,
	}));
}

/** Everything that runs says so, when it begins and when it comes to its own end. `book`: a folder that all may write to. */
function commandOf({ key, seconds, exitCode, steps }: DrawnJob, book: string): string[] {
	return [
		`echo "start ${key}" >>${book}/log`,
		`${steps ? "srun " : ""}echo "hello from ${key}"`,
		`echo "and to the other stream" >&2`,
		`sleep ${seconds}`,
		`echo "end ${key}" >>${book}/log`,
		`exit ${exitCode}`,
	];
}

export function scriptOf(job: DrawnJob, book: string): string {
	const { key, gpus, optsIn } = job;
	return [
		"#!/bin/bash",
		`#SBATCH --job-name=${key}`,
		`#SBATCH --gres=gpu:h100:${gpus}`,
		"#SBATCH --time=5",
		`#SBATCH --output=%x.out`,
		...(optsIn ? ["#SBATCH --comment=spillway"] : []),
		"",
		...commandOf(job, book),
		"",
	].join("\n");
}

export function specOf(job: DrawnJob, book: string): JobSpec {
	return parseJobDocument({
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: job.key, team: "research" },
		spec: {
			command: ["bash", "-c", commandOf({ ...job, steps: false }, book).join("\n")],
			class: "burst",
			resources: { gpus: job.gpus },
			duration: { estimate: `${job.seconds}s`, max: "5m" },
		},
	});
}
