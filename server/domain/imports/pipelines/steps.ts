import { formatDuration, SECOND_MS } from "../../../kernel/units.ts";
import { JOB_LIMITS } from "../../job-schema.ts";
import type { Manifest } from "../kubernetes/manifest.ts";
import type { Path, PodFacts } from "../kubernetes/pod.ts";
import { plainName } from "../plain-name.ts";

/** A step of an imported pipeline before its placeholders are filled in. */
export interface DraftStep {
	name: string;
	needs: string[];
	foreach?: (string | number | boolean)[];
	retry?: number;
	job: DraftJob;
}

interface DraftJob {
	data?: { from: string; mount: string }[];
	outputs?: { name: string; path: string; keep?: string }[];
	[field: string]: unknown;
}

const KEPT_DAYS = 30;

/** A `kind: Pipeline` document. */
export type PipelineDocument = Record<string, unknown> & { metadata: { name: string; team: string } };

export interface Parameter {
	name: string;
	type: "text" | "number" | "boolean";
	default?: string | number | boolean;
}

/** Placeholders of the other system: the text between `{{` and `}}`, and its equivalent here. */
export type Places = ReadonlyMap<string, string>;

const PLACE = /\{\{([^{}]+)\}\}/g;
/** Beyond this many, findings are not reported one by one. */
const UNKNOWN_SHOWN = 20;

/** The text with known placeholders replaced; unknown ones stay and are added to `unknown`. */
export function fillPlaces(text: string, places: Places, unknown: Set<string>): string {
	// The replacements contain Spillway's own placeholders, so the result is not scanned again.
	return text.replace(PLACE, (whole, written: string) => {
		const found = places.get(written.trim());
		if (found === undefined) unknown.add(whole);
		return found ?? whole;
	});
}

/** Command and environment with placeholders filled in. Unknown placeholders become a question at `path`. */
export function fillPlaceholders(m: Manifest, path: Path, pod: Pick<PodFacts, "command" | "env" | "image">, places: Places): typeof pod {
	const unknown = new Set<string>();
	const filled = {
		image: pod.image === null ? null : fillPlaces(pod.image, places, unknown),
		command: pod.command.map((word) => fillPlaces(word, places, unknown)),
		env: Object.fromEntries(Object.entries(pod.env).map(([name, value]) => [name, fillPlaces(value, places, unknown)])),
	};
	for (const place of [...unknown].slice(0, UNKNOWN_SHOWN))
		m.say(path, "question", place, "This placeholder has no value here. Use a value, a parameter or a step's output instead.");
	return filled;
}

/** The job of a step. */
export function jobOf(
	pod: PodFacts,
	more: { data: { from: string; mount: string }[]; outputs: { name: string; path: string }[]; maxMs: number | null },
): DraftJob {
	const { image, command, env, gpus, accelerators, cpus, memoryGiB, interconnect } = pod;
	return {
		...(image !== null && { image }),
		command,
		...(Object.keys(env).length > 0 && { env }),
		...(interconnect && { interconnect }),
		resources: {
			gpus: gpus ?? 1,
			...(accelerators.length > 0 && { accelerators }),
			...(cpus !== null && { cpus }),
			...(memoryGiB !== null && { memoryGiB }),
		},
		...(more.maxMs !== null && { duration: { max: formatDuration(Math.max(SECOND_MS, Math.min(more.maxMs, JOB_LIMITS.durationMs))) } }),
		...(more.data.length > 0 && { data: more.data }),
		...(more.outputs.length > 0 && { outputs: more.outputs }),
	};
}

/** Reports a step without GPUs, since every job here has at least one. */
export function reportMissingGpus(m: Manifest, path: Path, pod: PodFacts): void {
	if (pod.gpus === null) m.say(path, "changed", "No GPUs", "Jobs need at least 1 GPU, so 1 is requested.");
}

/** Keeps outputs that no step reads: a pipeline cannot declare them otherwise, except in its last steps. Reported at `path`. */
export function keepUnread(m: Manifest, path: Path, steps: DraftStep[]): DraftStep[] {
	const read = new Set(steps.flatMap(({ job }) => job.data?.map(({ from }) => from) ?? []));
	const needed = new Set([...steps.flatMap(({ needs }) => needs), ...[...read].map((from) => from.split(".")[0])]);
	for (const { name: step, job } of steps) {
		for (const output of job.outputs ?? []) {
			if (!needed.has(step) || read.has(`${step}.${output.name}`)) continue;
			output.keep = `${KEPT_DAYS}d`;
			m.say(path, "changed", `Output ${output.name} of ${step}`, `No step reads it, so it is kept for ${KEPT_DAYS} days.`);
		}
	}
	return steps;
}

export function pipelineOf(
	metadata: PipelineDocument["metadata"],
	parameters: readonly Parameter[],
	steps: readonly DraftStep[],
	parallel: number | null = null,
): PipelineDocument {
	return {
		...{ apiVersion: "spillway/v1", kind: "Pipeline", metadata },
		spec: {
			...(parameters.length > 0 && { parameters: Object.fromEntries(parameters.map(({ name, ...parameter }) => [name, parameter])) }),
			...(parallel !== null && { parallel }),
			steps,
		},
	};
}

/** A valid parameter name: letters, digits and _. */
export const parameterName = (name: string): string =>
	plainName(name)
		.replace(/[^A-Za-z0-9_]/g, "_")
		.replace(/^(?=\d)/, "_");
