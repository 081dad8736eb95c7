import type { JobFile } from "../job-file.ts";
import type { SweepFile } from "./types.ts";

/** Start of a sweep placeholder (`${{ … }}`); a script may contain it too. */
const OPEN = "${{";
const TASK = `${OPEN} trial.task }}`;

/**
 * Builds a sweep with one job for each task of an array.
 * @param variable the variable that contains the task number
 */
export function sweepOf(
	job: JobFile,
	tasks: readonly number[],
	{ variable, parallel }: { variable: string; parallel: number | null },
): SweepFile {
	const { deadline, notify, ...spec } = job.spec;
	const isTemplate = JSON.stringify(spec).includes(OPEN);
	// The sweep would replace text in the script that looks like a placeholder, so a parameter with that text replaces it.
	const escaped = (text: string) => text.replaceAll(OPEN, `${OPEN} parameters.open }}`);
	const env = Object.entries(spec.env ?? {}).map(([name, text]) => [name, escaped(String(text))]);
	return {
		apiVersion: "spillway/v1",
		kind: "Sweep",
		metadata: job.metadata,
		spec: {
			...(isTemplate && { parameters: { open: { type: "text" as const, default: OPEN } } }),
			...(parallel !== null && parallel > 0 && { parallel }),
			...(notify && { notify }),
			...(deadline !== undefined && { deadline }),
			grid: { task: [...tasks] },
			job: { ...spec, command: spec.command.map(escaped), env: { ...Object.fromEntries(env), [variable]: TASK } },
		},
	};
}

/** The first trial of an imported sweep as a job, for quotes and previews; a job is returned unchanged. */
export function firstJobOf(document: JobFile | SweepFile): JobFile {
	if (document.kind === "Job") return document;
	const { grid, job, deadline } = document.spec;
	const filled = (text: string) => text.replaceAll(TASK, String(grid.task[0])).replaceAll(`${OPEN} parameters.open }}`, OPEN);
	const env = Object.fromEntries(Object.entries(job.env ?? {}).map(([name, text]) => [name, filled(String(text))]));
	const spec = { ...job, command: job.command.map(filled), env, ...(deadline !== undefined && { deadline }) };
	return { apiVersion: "spillway/v1", kind: "Job", metadata: document.metadata, spec };
}
