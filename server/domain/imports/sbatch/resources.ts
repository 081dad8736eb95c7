import type { Finding } from "../types.ts";
import type { Directive } from "./read-script.ts";
import { parseSlurmMemoryGiB } from "./times.ts";

/** What a job needs on each of its nodes. null: not specified. */
export interface SbatchResources {
	nodes: number;
	tasksPerNode: number;
	gpusPerNode: number | null;
	/** The script's name for it, e.g. `h100`; "" if it names none. */
	gpuType: string;
	cpusPerNode: number | null;
	memoryGiBPerNode: number | null;
}

/** GPUs per machine when a script gives only the total. */
const GPUS_OF_A_NODE = 8;

type Last = ReadonlyMap<string, Directive>;

/** Totals nodes, tasks, GPUs, CPUs and memory as Slurm would; each of these directives adds a finding. */
export function readResources(last: Last, findings: Finding[]): SbatchResources {
	const say = (d: Directive | undefined, kind: Finding["kind"], subject: string, text = ""): void => {
		if (d) findings.push({ line: d.line, kind, subject, text });
	};
	const number = (name: string): number | null => {
		const d = last.get(name);
		if (!d) return null;
		if (/^\d{1,7}$/.test(d.value) && Number(d.value) > 0) return Number(d.value);
		say(d, "question", `--${name}=${d.value.slice(0, 40)}`, "Must be a whole number above zero.");
		return null;
	};
	const gpus = readGpus(last, say);
	const askedNodes = readNodes(last, say);
	const perNode = number("ntasks-per-node");
	const tasks = number("ntasks");
	const tasksPerGpu = number("ntasks-per-gpu");
	const nodes =
		askedNodes ?? (gpus.total !== null ? Math.ceil(gpus.total / GPUS_OF_A_NODE) : perNode && tasks ? Math.ceil(tasks / perNode) : 1);
	const totalGpus = gpus.total ?? (gpus.perNode === null ? null : gpus.perNode * nodes);
	const tasksPerNode =
		perNode ?? (tasks !== null ? Math.ceil(tasks / nodes) : tasksPerGpu && totalGpus ? Math.ceil((tasksPerGpu * totalGpus) / nodes) : 1);
	for (const [name, told, of] of [
		["ntasks", tasks, ""],
		["ntasks-per-node", perNode, " per node"],
		["ntasks-per-gpu", tasksPerGpu, " per GPU"],
	] as const)
		if (told !== null) say(last.get(name), "carried", `${told} ${told === 1 ? "task" : "tasks"}${of}`);
	const gpusPerNode =
		gpus.perNode ?? (gpus.total !== null ? Math.ceil(gpus.total / nodes) : gpus.perTask !== null ? gpus.perTask * tasksPerNode : null);
	reportGpus({ gpus, nodes, gpusPerNode }, say);
	const cpusPerNode = readCpus(
		{ perTask: number("cpus-per-task"), perGpu: number("cpus-per-gpu"), least: number("mincpus") },
		{ tasksPerNode, gpusPerNode },
	);
	for (const name of ["cpus-per-task", "cpus-per-gpu", "mincpus"])
		if (cpusPerNode !== null) say(last.get(name), "carried", `${cpusPerNode} CPUs per node`);
	if (gpusPerNode === null)
		for (const name of ["cpus-per-gpu", "mem-per-gpu"])
			say(last.get(name), "question", `--${name}`, "The script requests no GPUs, so the total is unknown. Set the number of GPUs.");
	const memoryGiBPerNode = readMemory(last, { cpusPerNode: cpusPerNode ?? tasksPerNode, gpusPerNode: gpusPerNode ?? 0 }, say);
	return { nodes, tasksPerNode, gpusPerNode, gpuType: gpus.type, cpusPerNode, memoryGiBPerNode };
}

type Say = (d: Directive | undefined, kind: Finding["kind"], subject: string, text?: string) => void;

function readNodes(last: Last, say: Say): number | null {
	const d = last.get("nodes");
	if (!d) return null;
	const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(d.value);
	const least = Number(match?.[1] ?? 0);
	if (!match || least < 1) {
		say(
			d,
			"question",
			`--nodes=${d.value.slice(0, 40)}`,
			"Must be a number of nodes or a range such as 2-4. Set how many nodes the job needs.",
		);
		return null;
	}
	if (match[2] !== undefined && match[2] !== match[1])
		say(d, "changed", `${least} to ${match[2]} nodes`, `The job requests ${least}, since a job has a fixed size.`);
	else say(d, "carried", least === 1 ? "1 node" : `${least} nodes`);
	return least;
}

interface Gpus {
	perNode: number | null;
	total: number | null;
	perTask: number | null;
	type: string;
	from: Directive | undefined;
}

/** `gpu:h100:8`, `gpu:8`, `h100:8`, `8`; null for any other text. */
function gpuSpec(text: string): { type: string; count: number } | null {
	const match = /^(?:(?:gres[/:])?gpu(?:$|[:=]))?(?:([A-Za-z][\w.-]*)(?::|$))?(\d{1,6})?(?:\(.*\))?$/.exec(text);
	if (!match || text === "") return null;
	return { type: match[1] ?? "", count: Number(match[2] ?? 1) };
}

function readGpus(last: Last, say: Say): Gpus {
	const gpus: Gpus = { perNode: null, total: null, perTask: null, type: "", from: undefined };
	const take = (field: "perNode" | "total" | "perTask", d: Directive, text: string): void => {
		const spec = gpuSpec(text);
		if (!spec || spec.count < 1) {
			say(d, "question", text.slice(0, 60), "Not a number of GPUs. Set how many the job needs.");
			return;
		}
		gpus[field] = spec.count;
		if (spec.type !== "") gpus.type = spec.type;
		gpus.from = d;
	};
	const per = [
		["gres", "perNode"],
		["gpus-per-node", "perNode"],
		["gpus", "total"],
		["gpus-per-task", "perTask"],
		["tres-per-task", "perTask"],
	] as const;
	for (const [name, field] of per) {
		const d = last.get(name);
		if (!d) continue;
		const parts = d.value.split(",").filter((part) => part !== "");
		const ofGpus = parts.filter((part) => (name.includes("gpus") ? true : /^(gres[/:])?gpu(\b|$)/.test(part)));
		for (const other of parts.filter((part) => !ofGpus.includes(part) && part.toLowerCase() !== "none"))
			say(
				d,
				"question",
				other.slice(0, 60),
				"Not a GPU: this resource exists only on the cluster. Remove it if the job can run without it.",
			);
		if (ofGpus.length > 1)
			say(d, "question", d.value.slice(0, 60), "A job uses one type of GPU, so the first is used. Keep only the type you need.");
		const [first] = ofGpus;
		if (first !== undefined) take(field, d, first);
	}
	const socket = last.get("gpus-per-socket");
	say(socket, "question", "GPUs per socket", "Sockets per machine are unknown outside the cluster. Use --gpus-per-node instead.");
	return gpus;
}

function reportGpus({ gpus, nodes, gpusPerNode }: { gpus: Gpus; nodes: number; gpusPerNode: number | null }, say: Say): void {
	if (gpusPerNode === null || !gpus.from) return;
	const kind = gpus.type === "" ? "" : `, ${gpus.type}`;
	const all = gpusPerNode * nodes;
	if (gpus.total !== null && all !== gpus.total)
		say(
			gpus.from,
			"changed",
			`${gpus.total} GPUs${kind}`,
			`${nodes} nodes with ${gpusPerNode} GPUs each, ${all} in total, since all nodes of a job are equal.`,
		);
	else if (gpus.total !== null && nodes > 1)
		say(gpus.from, "changed", `${gpus.total} GPUs${kind}`, `${nodes} nodes with ${gpusPerNode} GPUs each.`);
	else say(gpus.from, "carried", `${gpusPerNode} ${gpusPerNode === 1 ? "GPU" : "GPUs"}${nodes > 1 ? " per node" : ""}${kind}`);
}

function readCpus(
	asked: { perTask: number | null; perGpu: number | null; least: number | null },
	{ tasksPerNode, gpusPerNode }: { tasksPerNode: number; gpusPerNode: number | null },
): number | null {
	const ofTasks = asked.perTask === null ? null : asked.perTask * tasksPerNode;
	const ofGpus = asked.perGpu === null || gpusPerNode === null ? null : asked.perGpu * gpusPerNode;
	const all = [ofTasks, ofGpus, asked.least].filter((n) => n !== null);
	return all.length === 0 ? null : Math.max(...all);
}

function readMemory(last: Last, per: { cpusPerNode: number; gpusPerNode: number }, say: Say): number | null {
	const units = { mem: 1, "mem-per-cpu": per.cpusPerNode, "mem-per-gpu": per.gpusPerNode } as const;
	let found: number | null = null;
	for (const [name, times] of Object.entries(units)) {
		const d = last.get(name);
		if (!d || times === 0) continue;
		const gib = parseSlurmMemoryGiB(d.value);
		if (gib === null) {
			say(d, "question", `--${name}=${d.value.slice(0, 40)}`, "Not a memory size. Use for example 64G.");
		} else if (gib === 0) {
			say(d, "dropped", "All memory of the node", "A cloud instance runs only this job, with all its memory.");
		} else {
			found = Math.round(gib * times * 1000) / 1000;
			say(d, "carried", `${found} GiB of memory per node`);
		}
	}
	return found;
}
