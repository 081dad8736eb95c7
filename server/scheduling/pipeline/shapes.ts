import type { JobSpec } from "#server/domain/job.ts";
import type { InParts } from "#server/kernel/in-parts.ts";
import { namePatternOf } from "../run-time.ts";

/** Distinct names that a graph is quoted by; further ones are quoted like the first with the same requirements. */
const NAMED_SHAPES_MAX = 200;

/**
 * Groups jobs with the same quote: everything but the command, environment and outputs, with the name reduced to its run-time
 * pattern. The decision core then decides one job per group. A graph with very many names is grouped by requirements alone.
 * @returns the first job of each group, and the group of each job
 */
export function* groupByShape(jobs: readonly JobSpec[]): InParts<{ shapes: JobSpec[]; shapeOf: number[] }> {
	const requirements = new Map<string, number>();
	const named = new Map<string, number>();
	const shapes: JobSpec[] = [];
	const shapeOf: number[] = [];
	for (const job of jobs) {
		const { name, command: _command, env: _env, outputs: _outputs, ...rest } = job;
		const key = JSON.stringify(rest);
		const namedKey = `${namePatternOf(name)}\n${key}`;
		const known = named.get(namedKey) ?? (named.size >= NAMED_SHAPES_MAX ? requirements.get(key) : undefined);
		const shape = known ?? shapes.push(job) - 1;
		shapeOf.push(shape);
		if (known === undefined) {
			named.set(namedKey, shape);
			if (!requirements.has(key)) requirements.set(key, shape);
		}
		yield;
	}
	return { shapes, shapeOf };
}
