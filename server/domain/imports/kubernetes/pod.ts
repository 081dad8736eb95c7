import type { ImportContext } from "../types.ts";
import type { Manifest } from "./manifest.ts";
import { quantity } from "./quantity.ts";

export type Path = readonly (string | number)[];

/** What one pod of a job runs and needs. */
export interface PodFacts {
	image: string | null;
	command: string[];
	env: Record<string, string>;
	gpus: number | null;
	accelerators: string[];
	cpus: number | null;
	memoryGiB: number | null;
	/** It requests an EFA or RDMA device. Absent: none. */
	interconnect?: "high";
}

/** A job needs a command; this one fails and prints that the question is unanswered. */
export const NO_COMMAND: string[] = ["sh", "-c", "echo 'The manifest names no command.' >&2; exit 1"];

const GPU_RESOURCES = ["nvidia.com/gpu", "amd.com/gpu", "google.com/tpu", "habana.ai/gaudi", "aws.amazon.com/neuron"];
/** Devices of a high-bandwidth network: AWS's EFA plugin, and the RDMA plugins of NVIDIA and others (`rdma/hca`, `rdma/ib`). */
const NETWORK_RESOURCE = /^(?:vpc\.amazonaws\.com\/efa|rdma\/.+)$/;
/** Node labels that name the accelerator. */
const ACCELERATOR_LABELS = [
	"nvidia.com/gpu.product",
	"cloud.google.com/gke-accelerator",
	"cloud.google.com/gke-tpu-accelerator",
	"k8s.amazonaws.com/accelerator",
	"gpu.nvidia.com/class",
];
const PLACING = "A hint for the cluster's scheduler. A cloud instance runs only this job; at home, the cluster places the job.";
const CLUSTERS_OWN = "A pod setting that has no meaning outside the cluster.";

/** Reads the pod template at `path` (its `spec`). Everything in it is reported. */
export function readPod(m: Manifest, path: Path, context: ImportContext): PodFacts {
	const at = (...more: Path): Path => [...path, ...more];
	reportPod(m, at);
	const count = m.length(at("containers"));
	if (count !== 1)
		m.say(
			at("containers"),
			"question",
			`${count} containers`,
			"A job runs one command in one image, so the first container is used. Keep only the one you need.",
		);
	const facts = readContainer(m, at("containers", 0), context);
	facts.accelerators = [...new Set([...facts.accelerators, ...readSelector(m, at("nodeSelector"), context)])];
	return facts;
}

function reportPod(m: Manifest, at: (...more: Path) => Path): void {
	const restart = m.text(at("restartPolicy"));
	m.say(
		at("restartPolicy"),
		"changed",
		`Restart ${restart ?? ""}`,
		"An interrupted job resumes from its last checkpoint; a failed command is not retried.",
	);
	for (const key of ["affinity", "topologySpreadConstraints", "schedulerName", "schedulingGates", "preemptionPolicy", "runtimeClassName"])
		m.say(at(key), "dropped", key, PLACING);
	for (const key of [
		"securityContext",
		"hostNetwork",
		"hostIPC",
		"hostPID",
		"dnsPolicy",
		"dnsConfig",
		"enableServiceLinks",
		"subdomain",
		"hostname",
		"shareProcessNamespace",
	])
		m.say(at(key), "dropped", key, CLUSTERS_OWN);
	m.say(at("tolerations"), "dropped", "Tolerations", PLACING);
	m.say(at("nodeName"), "dropped", "Pinned node", "Pinning a node would keep the job off all other sites.");
	m.say(at("priorityClassName"), "dropped", `Priority class ${m.text(at("priorityClassName")) ?? ""}`, "Set a priority from 0 to 100.");
	m.say(
		at("terminationGracePeriodSeconds"),
		"changed",
		"Grace period",
		"Before an interruption, the job gets SIGTERM and the time that this installation allows to save a checkpoint.",
	);
	m.say(at("activeDeadlineSeconds"), "question", "Pod time limit", "Set duration.max in the job.");
	for (const key of ["serviceAccountName", "serviceAccount", "automountServiceAccountToken"])
		m.say(at(key), "question", key, "The pod's identity exists only in the cluster. Give the job the access it needs another way.");
	m.say(
		at("imagePullSecrets"),
		"question",
		"Registry secrets",
		"They exist only in the cluster. Check that the image can be pulled where the job runs.",
	);
	m.say(at("initContainers"), "question", "Init containers", "A job runs one command. Do their work in the command or in the image.");
	for (let i = 0; i < m.length(at("volumes")); i++) {
		const volume = (...more: Path) => at("volumes", i, ...more);
		const name = m.text(volume("name")) ?? "";
		if (m.has(volume("emptyDir")))
			m.say(volume(), "dropped", `Volume ${name}`, "An attempt uses the disk and shared memory of its machine.");
		else
			m.say(
				volume(),
				"question",
				`Volume ${name}`,
				"It exists only in the cluster. Declare it as data to copy it to where the job runs, or put it into the image.",
			);
	}
}

/** Reads a container at `path`. */
export function readContainer(m: Manifest, path: Path, context: ImportContext): PodFacts {
	const at = (...more: Path): Path => [...path, ...more];
	const image = m.text(at("image"));
	if (image !== null) m.say(at("image"), "carried", `Image ${image}`);
	const command = [...m.texts(at("command")), ...m.texts(at("args"))];
	if (m.has(at("command"))) m.say(at("command"), "carried", "Command");
	if (m.has(at("args")))
		m.say(
			at("args"),
			m.has(at("command")) ? "carried" : "question",
			"Arguments",
			m.has(at("command")) ? "" : "Without a command, they go to the image's entry point, which is unknown here. Set the whole command.",
		);
	const folder = m.text(at("workingDir"));
	if (folder !== null) m.say(at("workingDir"), "carried", `Folder ${folder}`);
	m.ignore(at("name"));
	for (const key of [
		"imagePullPolicy",
		"securityContext",
		"ports",
		"terminationMessagePath",
		"terminationMessagePolicy",
		"stdin",
		"tty",
		"resizePolicy",
	])
		m.say(at(key), "dropped", key, CLUSTERS_OWN);
	for (const key of ["livenessProbe", "readinessProbe", "startupProbe"])
		m.say(at(key), "dropped", key, "A job ends when its command ends; until then, its log shows its progress.");
	m.say(
		at("lifecycle"),
		"question",
		"Lifecycle hooks",
		"The command gets SIGTERM before it is stopped. Do the hook's work on that signal.",
	);
	m.say(at("volumeMounts"), "dropped", "Mounts", "See the findings for their volumes.");
	m.say(
		at("envFrom"),
		"question",
		"Environment from the cluster",
		"Config maps and secrets exist only in the cluster. Set what the job needs in env.",
	);
	const env = readEnv(m, at);
	const needs = readNeeds(m, at, context);
	const words = command.length === 0 ? NO_COMMAND : command;
	if (command.length === 0) m.say(path, "question", "No command", "The image's entry point is unknown here. Set the whole command.");
	return { image, command: folder === null ? words : ["sh", "-c", 'cd "$0" && exec "$@"', folder, ...words], env, ...needs };
}

function readEnv(m: Manifest, at: (...more: Path) => Path): Record<string, string> {
	const env: Record<string, string> = {};
	for (let i = 0; i < m.length(at("env")); i++) {
		const name = m.text(at("env", i, "name")) ?? "";
		const value = m.text(at("env", i, "value"));
		if (m.has(at("env", i, "valueFrom")))
			m.say(at("env", i), "question", `Environment ${name}`, "The value comes from the cluster. Set it in env.");
		else if (/^(SPILLWAY_|CUDA_VISIBLE_DEVICES$)/.test(name)) m.say(at("env", i), "dropped", `Environment ${name}`, "Spillway sets it.");
		else if (/^[A-Za-z_]\w{0,127}$/.test(name)) {
			env[name] = value ?? "";
			m.say(at("env", i), "carried", `Environment ${name}`);
		} else
			m.say(
				at("env", i),
				"question",
				`Environment ${name.slice(0, 40)}`,
				"A name contains only letters, digits and _, and does not start with a digit.",
			);
	}
	return env;
}

type Needs = Pick<PodFacts, "gpus" | "accelerators" | "cpus" | "memoryGiB" | "interconnect">;

function readNeeds(m: Manifest, at: (...more: Path) => Path, context: ImportContext): Needs {
	const needs: Needs = {
		gpus: null,
		accelerators: [],
		cpus: null,
		memoryGiB: null,
	};
	// Requests first: a GPU limit is also its request, and for CPUs and memory the request is what is needed.
	for (const side of ["requests", "limits"] as const) {
		for (const key of m.keys(at("resources", side))) {
			const path = at("resources", side, key);
			const value = quantity(m.text(path) ?? "");
			if (value === null) m.say(path, "question", `${key} ${m.text(path) ?? ""}`, "Not a valid quantity. Correct it.");
			else if (GPU_RESOURCES.includes(key)) {
				needs.gpus = Math.ceil(value);
				if (key === "google.com/tpu") needs.accelerators.push(...context.acceleratorsNamed("tpu"));
				if (Number.isInteger(value)) m.say(path, "carried", `${value} ${value === 1 ? "GPU" : "GPUs"}`);
				else m.say(path, "changed", `${value} GPUs`, `Rounded up to ${needs.gpus}.`);
			} else if (key === "cpu") {
				needs.cpus ??= Math.max(1, Math.ceil(value));
				m.say(path, "carried", `${needs.cpus} CPUs`);
			} else if (key === "memory") {
				needs.memoryGiB ??= Math.round((value / 2 ** 30) * 1000) / 1000;
				m.say(path, "carried", `${needs.memoryGiB} GiB of memory`);
			} else if (NETWORK_RESOURCE.test(key)) {
				needs.interconnect = "high";
				m.say(path, "changed", key, "Carried as interconnect: high. It applies to jobs with several nodes.");
			} else if (key === "ephemeral-storage")
				m.say(path, "dropped", "Disk", "Machines are chosen by GPUs, CPUs and memory. Check that the disk is large enough.");
			else m.say(path, "question", key, "This resource exists only in the cluster. Remove it if the job can run without it.");
		}
	}
	m.say(at("resources", "claims"), "question", "Resource claims", "They exist only in the cluster. Request GPUs by number and model.");
	return needs;
}

/** Accelerators named by a node selector at `path`. */
export function readSelector(m: Manifest, path: Path, context: ImportContext): string[] {
	const accelerators: string[] = [];
	for (const key of m.keys(path)) {
		const value = m.text([...path, key]) ?? "";
		const named = ACCELERATOR_LABELS.includes(key)
			? [value, ...value.split(/[-_ ]/)].flatMap((word) => [...context.acceleratorsNamed(word)])
			: [];
		accelerators.push(...named);
		if (named.length > 0) m.say([...path, key], "carried", `On ${[...new Set(named)].join(" or ")}`);
		else if (/^(kubernetes\.io\/(os|arch)|node-role)/.test(key)) m.say([...path, key], "dropped", `${key}: ${value}`, PLACING);
		else
			m.say(
				[...path, key],
				"question",
				`${key}: ${value}`,
				"A label of the cluster's own nodes. Set the accelerator or region that it implies, or remove it.",
			);
	}
	return accelerators;
}
