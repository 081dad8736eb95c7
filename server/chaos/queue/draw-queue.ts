import type { JobSpec } from "#server/domain/job.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { seededRandom } from "#server/kernel/random.ts";

/** A job of a run; `key` is its unique name and `exitCode` its command's exit code. */
export interface DrawnJob {
	key: string;
	gpus: number;
	seconds: number;
	exitCode: number;
	/** For a foreign job, submitted with plain `sbatch`: whether its owner allows adoption. null for a Spillway job. */
	optsIn: boolean | null;
	/** Whether it runs its command with `srun`. */
	steps: boolean;
}

/**
 * Half of the jobs are for Spillway and half for the cluster itself, in all sizes that fit a node. `longest`: seconds; the
 * shortest job takes half of it, so that a queue forms before the first job ends.
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

/** The command logs its start and its regular end. `book`: a world-writable folder. */
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
