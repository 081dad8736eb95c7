import { SpillwayError } from "../../../kernel/errors.ts";
import { SECOND_MS } from "../../../kernel/units.ts";
import type { ImportContext } from "../types.ts";
import type { Manifest } from "./manifest.ts";
import { ignoreTemplateMetadata } from "./outputs.ts";
import { NO_COMMAND, type Path, type PodFacts, readPod } from "./pod.ts";
import { quantity } from "./quantity.ts";

export interface Workload {
	pod: PodFacts;
	nodes: number;
	maxMs: number | null;
}

type ReadKind = (m: Manifest, context: ImportContext) => Workload;

const CONTROLLERS = "Configures the cluster's own controllers.";

function readJob(m: Manifest, path: Path, context: ImportContext): Workload {
	const at = (...more: Path): Path => [...path, ...more];
	const completions = m.number(at("completions")) ?? 1;
	const parallelism = m.number(at("parallelism")) ?? 1;
	const together = completions === parallelism && completions > 1;
	const nodes = together ? completions : 1;
	if (together) {
		m.say(at("completions"), "carried", `${nodes} nodes`);
		m.ignore(at("parallelism"));
	} else {
		const text = "All nodes of a job start together. Submit one job per part, or set completions and parallelism to the same number.";
		m.say(
			at("completions"),
			completions > 1 ? "question" : "carried",
			`${completions} ${completions === 1 ? "completion" : "completions"}`,
			completions > 1 ? text : "",
		);
		m.say(at("parallelism"), parallelism > 1 ? "question" : "carried", `${parallelism} at a time`, parallelism > 1 ? text : "");
	}
	m.say(
		at("completionMode"),
		"changed",
		`Mode ${m.text(at("completionMode")) ?? ""}`,
		"Each node gets its rank from torchrun's environment variables.",
	);
	m.say(at("backoffLimit"), "dropped", "Retries", "A failed command is not retried; an interrupted job resumes from its last checkpoint.");
	m.say(at("backoffLimitPerIndex"), "dropped", "Retries", "A failed command is not retried.");
	m.say(at("ttlSecondsAfterFinished"), "dropped", "Time to live", "Finished jobs stay on record.");
	m.say(at("suspend"), "dropped", "Suspended", "Spillway decides when the job starts.");
	for (const key of [
		"podFailurePolicy",
		"podReplacementPolicy",
		"successPolicy",
		"manualSelector",
		"selector",
		"managedBy",
		"maxFailedIndexes",
	])
		m.say(at(key), "dropped", key, CONTROLLERS);
	ignoreTemplateMetadata(m, at("template", "metadata"));
	return { pod: readPod(m, at("template", "spec"), context), nodes, maxMs: readLimit(m, at("activeDeadlineSeconds")) };
}

function readLimit(m: Manifest, path: Path): number | null {
	const seconds = m.number(path);
	if (seconds === null) return null;
	m.say(path, "changed", `Time limit ${seconds} s`, "Kept as the limit of the run; the wait before it does not count.");
	return seconds * SECOND_MS;
}

function readPyTorchJob(m: Manifest, context: ImportContext): Workload {
	const specs = "pytorchReplicaSpecs";
	const roles = m.keys(["spec", specs]);
	const counts = roles.map((role) => m.number(["spec", specs, role, "replicas"]) ?? 1);
	const nodes = counts.reduce((sum, n) => sum + n, 0);
	const pods = roles.map((role) => {
		ignoreTemplateMetadata(m, ["spec", specs, role, "template", "metadata"]);
		m.say(
			["spec", specs, role, "restartPolicy"],
			"changed",
			`Restart policy of ${role}`,
			"An interrupted job resumes from its last checkpoint, all nodes together.",
		);
		return readPod(m, ["spec", specs, role, "template", "spec"], context);
	});
	const [first] = pods;
	if (!first)
		throw new SpillwayError("invalid_input", "The PyTorchJob has no replicas.", {
			fix: "Add spec.pytorchReplicaSpecs with at least one role.",
		});
	for (const [i, role] of roles.entries()) {
		const same = JSON.stringify(pods[i]) === JSON.stringify(first);
		const count = counts[i] ?? 1;
		m.say(["spec", specs, role, "replicas"], "carried", `${role}: ${count} of ${nodes} nodes`);
		if (!same)
			m.say(
				["spec", specs, role],
				"question",
				role,
				"Differs from the first role. A job has equal nodes, so the first role's settings are used.",
			);
	}
	m.say(["spec", "runPolicy", "activeDeadlineSeconds"], "question", "Time limit", "Set duration.max in the job.");
	m.say(["spec", "runPolicy"], "dropped", "Run policy", CONTROLLERS);
	m.say(
		["spec", "elasticPolicy"],
		"question",
		"Elastic training",
		"A job has a fixed size. Remove the policy, and set the size that the job needs.",
	);
	const processes = m.text(["spec", "nprocPerNode"]);
	if (processes !== null)
		m.say(
			["spec", "nprocPerNode"],
			"changed",
			`${processes} processes per node`,
			"PET_NPROC_PER_NODE passes it to torchrun, as the operator does.",
		);
	const env = processes === null ? first.env : { PET_NPROC_PER_NODE: processes, ...first.env };
	return { pod: { ...first, env }, nodes, maxMs: null };
}

function readTrainJob(m: Manifest): Workload {
	const at = (...more: Path): Path => ["spec", "trainer", ...more];
	m.say(
		["spec", "runtimeRef"],
		"question",
		`Runtime ${m.text(["spec", "runtimeRef", "name"]) ?? ""}`,
		"What it provides exists only in the cluster. Set image and command in the job.",
	);
	for (const key of ["initializer", "podSpecOverrides", "podTemplateOverrides", "managedBy", "suspend"])
		m.say(["spec", key], "question", key, CONTROLLERS);
	const nodes = m.number(at("numNodes")) ?? 1;
	m.say(at("numNodes"), "carried", `${nodes} ${nodes === 1 ? "node" : "nodes"}`);
	const resources: Partial<Record<"gpus" | "cpus" | "memoryGiB", number>> = {};
	for (const side of ["requests", "limits"]) {
		for (const key of m.keys(at("resourcesPerNode", side))) {
			const path = at("resourcesPerNode", side, key);
			const value = quantity(m.text(path) ?? "");
			if (value !== null && /\/(gpu|tpu)$/.test(key)) resources.gpus = Math.ceil(value);
			else if (value !== null && key === "cpu") resources.cpus = Math.max(1, Math.ceil(value));
			else if (value !== null && key === "memory") resources.memoryGiB = Math.round((value / 2 ** 30) * 1000) / 1000;
			else {
				m.say(path, "question", key, "This resource exists only in the cluster. Remove it if the job can run without it.");
				continue;
			}
			m.say(path, "carried", `${key} ${m.text(path) ?? ""} per node`);
		}
	}
	const image = m.text(at("image"));
	m.say(at("image"), "carried", `Image ${image ?? ""}`);
	const command = [...m.texts(at("command")), ...m.texts(at("args"))];
	m.say(at("command"), "carried", "Command");
	m.say(at("args"), "carried", "Arguments");
	const env: Record<string, string> = {};
	for (let i = 0; i < m.length(at("env")); i++) {
		const name = m.text(at("env", i, "name")) ?? "";
		if (!/^[A-Za-z_]\w{0,127}$/.test(name) || /^SPILLWAY_/.test(name) || m.has(at("env", i, "valueFrom")))
			m.say(at("env", i), "question", `Environment ${name.slice(0, 40)}`, "Set its value in env.");
		else {
			env[name] = m.text(at("env", i, "value")) ?? "";
			m.say(at("env", i), "carried", `Environment ${name}`);
		}
	}
	const processes = m.text(at("numProcPerNode"));
	if (processes !== null) {
		env["PET_NPROC_PER_NODE"] ??= processes;
		m.say(
			at("numProcPerNode"),
			"changed",
			`${processes} processes per node`,
			"PET_NPROC_PER_NODE passes it to torchrun, as the trainer does.",
		);
	}
	if (command.length === 0) m.say(at(), "question", "No command", "The runtime's command is unknown here. Set the whole command.");
	const { gpus = null, cpus = null, memoryGiB = null } = resources;
	return {
		pod: { image, env, command: command.length > 0 ? command : NO_COMMAND, gpus, cpus, memoryGiB, accelerators: [] },
		nodes,
		maxMs: null,
	};
}

function readJobSet(m: Manifest, context: ImportContext): Workload {
	const count = m.length(["spec", "replicatedJobs"]);
	if (count > 1)
		m.say(
			["spec", "replicatedJobs"],
			"question",
			`${count} kinds of jobs`,
			"A job has equal nodes. Submit each kind as a separate job; only the first was read.",
		);
	const path = ["spec", "replicatedJobs", 0] as const;
	m.ignore([...path, "name"]);
	ignoreTemplateMetadata(m, [...path, "template", "metadata"]);
	const replicas = m.number([...path, "replicas"]) ?? 1;
	m.say([...path, "replicas"], "carried", `${replicas} ${replicas === 1 ? "replica" : "replicas"}`);
	for (const key of [
		"network",
		"failurePolicy",
		"successPolicy",
		"startupPolicy",
		"suspend",
		"coordinator",
		"managedBy",
		"ttlSecondsAfterFinished",
	])
		m.say(["spec", key], "dropped", key, CONTROLLERS);
	const job = readJob(m, [...path, "template", "spec"], context);
	return { ...job, nodes: job.nodes * replicas };
}

/**
 * A reader for each kind. Fields follow batch/v1, kubeflow.org/v1, trainer.kubeflow.org/v1alpha1 and
 * jobset.x-k8s.io/v1alpha2.
 */
export const KINDS: Readonly<Record<string, ReadKind>> = {
	Job: (m, context) => readJob(m, ["spec"], context),
	PyTorchJob: readPyTorchJob,
	TrainJob: readTrainJob,
	JobSet: readJobSet,
	Pod: (m, context) => ({ pod: readPod(m, ["spec"], context), nodes: 1, maxMs: null }),
};
