import type { Finding } from "../types.ts";
import { SBATCH_OPTIONS } from "./options.ts";

export interface BodyFacts {
	/** Whether the job names a container image. */
	image: boolean;
	nodes: number;
	tasksPerNode: number;
	/** Environment known before the job runs, by Slurm's name. */
	known: ReadonlyMap<string, string>;
}

export interface ReadBody {
	/** Slurm variables used by the script that take their value from the job. */
	env: Record<string, string>;
	/** Shell lines to run before the script; empty when it needs none. */
	prelude: string[];
}

/** Slurm variables known only at run time, and their replacements. */
const AT_RUN_TIME: ReadonlyMap<string, string> = new Map([
	["SLURM_JOB_ID", "SPILLWAY_JOB_ID"],
	["SLURM_JOBID", "SPILLWAY_JOB_ID"],
	["SLURM_ARRAY_JOB_ID", "SPILLWAY_JOB_ID"],
	["SLURM_RESTART_COUNT", "SPILLWAY_ATTEMPT"],
]);
const ONLY_AT_HOME =
	/(?<![\w$}/.-])\/(home|scratch|work|project|projects|proj|data|datasets|lustre|gpfs|nfs|share|shared|mnt|nobackup|users?|u|fs\d*)(?:\/[\w.@+-]+)+/g;

/** srun options that take a value in the next word, as a `case` pattern. */
const SRUN_WITH_VALUE = [
	...SBATCH_OPTIONS.filter((o) => o.value === "needed").flatMap((o) => [`--${o.name}`, ...(o.short ? [`-${o.short}`] : [])]),
	...["--mpi", "--jobid", "--cpu-bind", "--bcast", "--task-prolog", "--task-epilog", "--het-group", "--relative", "-r", "--threads", "-T"],
].join("|");

/** Replacements for missing cluster commands, so that the script stays unchanged. */
const SHIM = {
	module: "command -v module >/dev/null 2>&1 || { module() { :; }; ml() { :; }; }",
	// A host may have srun without being in an allocation; srun would then submit a separate job to the cluster.
	srun: `[ -n "\${SLURM_JOB_NODELIST-}" ] || srun() { while :; do case "\${1-}" in --) shift; break;; ${SRUN_WITH_VALUE}) shift 2;; -*) shift;; *) break;; esac; done; "$@"; }`,
} as const;

/** Checks what the script runs. The script is not changed; commands that exist only on the cluster are reported. */
export function readBody(lines: readonly string[], bodyAt: number, facts: BodyFacts, findings: Finding[]): ReadBody {
	const env: Record<string, string> = {};
	const shims = new Set<keyof typeof SHIM>();
	const exports = new Map<string, string>();
	const paths = new Set<string>();
	const named = new Set<string>();
	for (let index = bodyAt; index < lines.length; index++) {
		const text = lines[index] ?? "";
		const line = index + 1;
		if (/^\s*(#|$)/.test(text)) continue;
		const say = (kind: Finding["kind"], subject: string, why: string): void => void findings.push({ line, kind, subject, text: why });
		const modules = /^\s*(?:module|ml)\s+(?:load\s+|add\s+|use\s+)?([^#;&|]*)/.exec(text);
		if (modules) {
			shims.add("module");
			if (/\b(purge|list|avail|unload)\b/.test(text))
				say("dropped", "Modules", "Modules exist only on the cluster; elsewhere this line has no effect.");
			else if (facts.image)
				say(
					"dropped",
					`Modules ${(modules[1] ?? "").trim()}`,
					"Modules exist only on the cluster; the image must contain what they provide.",
				);
			else
				say(
					"question",
					`Modules ${(modules[1] ?? "").trim()}`,
					"Modules exist only on the cluster. Use an image that contains this software, or keep the job on the cluster.",
				);
		}
		if (/\b(conda|mamba|micromamba)\s+activate\b|\bsource\s+\S*activate\b|(^|\s)\.\s+\S*activate\b/.test(text))
			say("question", "A Python environment", "It exists only on the cluster. Build an image from it, or keep the job on the cluster.");
		if (/(^|[\s;&|(])srun\b/.test(text)) reportRun(facts, shims, say);
		if (/(^|[\s;&|(])(mpirun|mpiexec)\b/.test(text) && facts.nodes > 1)
			say(
				"question",
				"MPI across several nodes",
				"MPI finds its nodes through the cluster. Start one process per node with torchrun, or keep the job on the cluster.",
			);
		if (/(^|[\s;&|(])(apptainer|singularity)\s+(exec|run|shell)\b/.test(text) && !facts.image)
			say(
				"question",
				"A container file",
				"The .sif file exists only on the cluster. Set an image in the job instead, or keep the job on the cluster.",
			);
		for (const tool of text.match(/(?<![\w./$-])(sbatch|scancel|scontrol|squeue|sacct|sinfo|sattach|sbcast|salloc)(?=\s)/g) ?? [])
			say("question", `The command ${tool}`, "Requires the cluster's Slurm. Remove it, or keep the job on the cluster.");
		for (const [variable] of text.matchAll(/SLURM_[A-Z0-9_]+/g)) {
			if (named.has(variable)) continue;
			named.add(variable);
			reportVariable(variable, facts, { env, exports }, say);
		}
		for (const [path] of text.matchAll(ONLY_AT_HOME)) {
			if (paths.has(path)) continue;
			paths.add(path);
			say(
				"question",
				path,
				"This path exists only on the cluster. Declare it as data to copy it to where the job runs, or keep the job on the cluster.",
			);
		}
	}
	const assigned = [...exports].map(([name, from]) => `export ${name}="\${${name}:-\${${from}-}}"`);
	return { env, prelude: [...[...shims].map((name) => SHIM[name]), ...assigned] };
}

type SayHere = (kind: Finding["kind"], subject: string, why: string) => void;

function reportRun(facts: BodyFacts, shims: Set<keyof typeof SHIM>, say: SayHere): void {
	shims.add("srun");
	if (facts.tasksPerNode > 1)
		say(
			"question",
			`srun with ${facts.tasksPerNode} tasks per node`,
			"Outside the cluster, the command runs once per node. Start the processes with torchrun --nproc-per-node, or keep the job on the cluster.",
		);
	else
		say(
			"changed",
			"srun",
			facts.nodes > 1
				? "Outside a Slurm allocation, each node runs the command directly."
				: "Outside a Slurm allocation, the command runs without srun.",
		);
}

function reportVariable(
	variable: string,
	facts: BodyFacts,
	out: { env: Record<string, string>; exports: Map<string, string> },
	say: SayHere,
): void {
	const value = facts.known.get(variable);
	const from = AT_RUN_TIME.get(variable);
	if (value !== undefined) {
		out.env[variable] = value;
		say("carried", value === "" ? `${variable}, set per task` : `${variable}=${value}`, "");
	} else if (from !== undefined) {
		out.exports.set(variable, from);
		say("changed", variable, `Where Slurm does not set it, it takes the value of ${from}.`);
	} else {
		say("question", variable, "Only Slurm sets it. Set it in env, or keep the job on the cluster.");
	}
}
