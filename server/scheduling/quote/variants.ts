import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { JOB_LIMITS } from "#server/domain/job-schema.ts";
import { largerSizes, type Scaling, speedup } from "#server/domain/scaling.ts";
import { withGpus } from "#server/domain/sized-spec.ts";
import type { ChangedField, JobChange } from "#server/domain/suggestion.ts";
import { formatDuration, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { Snapshot, TimeSpread } from "../types.ts";

/** A job with one change, in the terms of the job file. */
export interface Variant {
	change: JobChange;
	fields: ChangedField[];
	spec: JobSpec;
}

/** Most models tried in addition to those a job names. */
const ACCELERATORS_TRIED = 4;
/** Later deadlines that are tried. */
const DEADLINES_LATER_MS = [4 * HOUR_MS, 24 * HOUR_MS];
const CHECKPOINT_EVERY_MS = 15 * MINUTE_MS;
/** Suggested checkpoint folder for a job without one. */
const CHECKPOINT_PATH = "/checkpoints";
/** A suggested maximum is this many times the P90 run time: a job that ends too early loses everything. */
const MAX_TIMES_P90 = 2;
const MAX_STEP_MS = 10 * MINUTE_MS;
/** GPUs of the largest machine that a gang is combined on. */
const ONE_NODE_GPUS = 16;
/** A suggested machine has at least this share of the requested CPUs and memory. */
const LEAST_MACHINE_SHARE = 0.5;

/** Possible changes of a job: some dozen variants with one change each. Policy and prices decide their effect. */
export function variantsOf(spec: JobSpec, snapshot: Snapshot, runTime: TimeSpread): Variant[] {
	return [
		...otherAccelerators(spec, snapshot),
		...laterDeadlines(spec),
		...checkpoints(spec),
		...oneNode(spec),
		...(spec.scaling ? otherSizes(spec, spec.scaling, runTime) : half(spec)),
		...machine(spec, snapshot.offers),
		...maximum(spec, runTime),
	].filter(({ spec: { duration, resources } }) => {
		const longestMs = Math.max(duration.estimateMs ?? 0, duration.maxMs ?? 0);
		return longestMs <= JOB_LIMITS.durationMs && (resources.cpus ?? 0) <= JOB_LIMITS.cpusPerNode;
	});
}

/** Models with at least as much memory as the smallest named one: the company's pools first, then by the cheapest GPU-hour. */
function otherAccelerators(spec: JobSpec, { pools, offers }: Snapshot): Variant[] {
	const { accelerators, gpus } = spec.resources;
	const leastGb = Math.min(...accelerators.map(memoryGbOf));
	const prices = new Map<string, number>();
	for (const pool of pools) if (pool.gpusPerNode >= gpus) prices.set(pool.accelerator, 0);
	for (const offer of offers) {
		if (offer.gpus < gpus || offer.microUsdPerHour === null || offer.microUsdPerHour <= 0n) continue;
		const price = Number(offer.microUsdPerHour) / offer.gpus;
		prices.set(offer.accelerator, Math.min(prices.get(offer.accelerator) ?? Number.POSITIVE_INFINITY, price));
	}
	return [...prices]
		.filter(([name]) => accelerators.length > 0 && !accelerators.includes(name) && memoryGbOf(name) >= leastGb)
		.sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
		.slice(0, ACCELERATORS_TRIED)
		.map(([accelerator]) => {
			const names = [...accelerators, accelerator];
			return {
				change: { kind: "accelerator", accelerator },
				fields: [{ path: ["resources", "accelerators"], value: names }],
				spec: { ...spec, resources: { ...spec.resources, accelerators: names } },
			};
		});
}

/** Canonical names end with it, as in `A100-80GB`. NaN if a name does not, which is never enough. */
function memoryGbOf(accelerator: string): number {
	return Number(/-(\d+)GB$/.exec(accelerator)?.[1]);
}

function laterDeadlines(spec: JobSpec): Variant[] {
	const { deadlineMs: now } = spec;
	if (now === null) return [];
	return DEADLINES_LATER_MS.map((laterMs) => {
		const deadlineMs = now + laterMs;
		return {
			change: { kind: "deadline", deadlineMs, laterMs },
			fields: [{ path: ["deadline"], value: new Date(deadlineMs).toISOString() }],
			spec: { ...spec, deadlineMs },
		};
	});
}

function checkpoints(spec: JobSpec): Variant[] {
	const { checkpoint } = spec;
	if (checkpoint !== null && checkpoint.intervalMs <= CHECKPOINT_EVERY_MS) return [];
	const interval = formatDuration(CHECKPOINT_EVERY_MS);
	return [
		{
			change: { kind: "checkpoint", intervalMs: CHECKPOINT_EVERY_MS },
			fields: [
				checkpoint === null
					? { path: ["checkpoint"], value: { path: CHECKPOINT_PATH, interval } }
					: { path: ["checkpoint", "interval"], value: interval },
			],
			spec: { ...spec, checkpoint: { ...(checkpoint ?? { path: CHECKPOINT_PATH }), intervalMs: CHECKPOINT_EVERY_MS } },
		},
	];
}

function oneNode(spec: JobSpec): Variant[] {
	const { nodes, resources } = spec;
	const gpus = nodes * resources.gpus;
	if (nodes === 1 || gpus > ONE_NODE_GPUS) return [];
	const cpus = resources.cpus === null ? null : resources.cpus * nodes;
	const memoryGiB = resources.memoryGiB === null ? null : resources.memoryGiB * nodes;
	return [
		{
			change: { kind: "one_node", gpus },
			fields: [{ path: ["nodes"], value: 1 }, { path: ["resources", "gpus"], value: gpus }, ...machineFields(cpus, memoryGiB)],
			spec: { ...spec, nodes: 1, resources: { ...resources, gpus, cpus, memoryGiB } },
		},
	];
}

/** Half of the GPUs, and larger sizes up to the job's scaling limit. Uses past runs without a declared run time. */
function otherSizes(spec: JobSpec, scaling: Scaling, runTime: TimeSpread): Variant[] {
	const now = spec.nodes * spec.resources.gpus;
	const timed = { ...spec, duration: { ...spec.duration, estimateMs: spec.duration.estimateMs ?? runTime.p50Ms } };
	return [...(now > 1 ? [Math.ceil(now / 2)] : []), ...largerSizes(scaling, now)].map((size) => {
		const sized = withGpus(timed, scaling, size);
		const { nodes, resources, duration } = sized;
		const speed = Math.round(speedup(scaling, now, nodes * resources.gpus) * 100) / 100;
		return {
			change: { kind: "scale", nodes, gpus: resources.gpus, speedup: speed },
			fields: [
				{ path: ["nodes"], value: nodes },
				{ path: ["resources", "gpus"], value: resources.gpus },
				...machineFields(resources.cpus, resources.memoryGiB),
				...(duration.estimateMs === null ? [] : [{ path: ["duration", "estimate"], value: formatDuration(duration.estimateMs) }]),
				...(duration.maxMs === null ? [] : [{ path: ["duration", "max"], value: formatDuration(duration.maxMs) }]),
			],
			spec: sized,
		};
	});
}

/** Only with a declared run time: on half of the GPUs it is then doubled. */
function half(spec: JobSpec): Variant[] {
	const { nodes, resources, duration } = spec;
	if (duration.estimateMs === null || nodes * resources.gpus === 1) return [];
	const fewer = nodes > 1 ? Math.ceil(nodes / 2) : 1;
	const gpus = nodes > 1 ? resources.gpus : Math.ceil(resources.gpus / 2);
	const estimateMs = 2 * duration.estimateMs;
	const maxMs = duration.maxMs === null ? null : 2 * duration.maxMs;
	return [
		{
			change: { kind: "half", nodes: fewer, gpus },
			fields: [
				nodes > 1 ? { path: ["nodes"], value: fewer } : { path: ["resources", "gpus"], value: gpus },
				{ path: ["duration", "estimate"], value: formatDuration(estimateMs) },
				...(maxMs === null ? [] : [{ path: ["duration", "max"], value: formatDuration(maxMs) }]),
			],
			spec: { ...spec, nodes: fewer, resources: { ...resources, gpus }, duration: { estimateMs, maxMs } },
		},
	];
}

/** The cheapest machine with the requested GPUs, if only CPUs or memory exclude it. */
function machine(spec: JobSpec, offers: readonly Offer[]): Variant[] {
	const { gpus, accelerators, cpus, memoryGiB } = spec.resources;
	let cheapest: Offer | null = null;
	for (const offer of offers) {
		if (offer.gpus < gpus || (accelerators.length > 0 && !accelerators.includes(offer.accelerator))) continue;
		if (offer.vcpus < LEAST_MACHINE_SHARE * (cpus ?? 0) || offer.memoryGiB < LEAST_MACHINE_SHARE * (memoryGiB ?? 0)) continue;
		if (offer.microUsdPerHour === null || offer.microUsdPerHour <= 0n) continue;
		if (cheapest === null || isCheaper(offer, cheapest)) cheapest = offer;
	}
	if (cheapest === null) return [];
	const fewerCpus = cpus !== null && cpus > cheapest.vcpus ? cheapest.vcpus : null;
	const lessMemoryGiB = memoryGiB !== null && memoryGiB > cheapest.memoryGiB ? cheapest.memoryGiB : null;
	if (fewerCpus === null && lessMemoryGiB === null) return [];
	return [
		{
			change: { kind: "machine", instanceType: cheapest.instanceType, cpus: fewerCpus, memoryGiB: lessMemoryGiB },
			fields: machineFields(fewerCpus, lessMemoryGiB),
			spec: { ...spec, resources: { ...spec.resources, cpus: fewerCpus ?? cpus, memoryGiB: lessMemoryGiB ?? memoryGiB } },
		},
	];
}

function isCheaper(a: Offer, b: Offer): boolean {
	const [x, y] = [a.microUsdPerHour ?? 0n, b.microUsdPerHour ?? 0n];
	return x !== y ? x < y : a.id < b.id;
}

function machineFields(cpus: number | null, memoryGiB: number | null): ChangedField[] {
	return [
		...(cpus === null ? [] : [{ path: ["resources", "cpus"], value: cpus }]),
		...(memoryGiB === null ? [] : [{ path: ["resources", "memoryGiB"], value: memoryGiB }]),
	];
}

/** A budget's hold covers the instances' longest life, which a maximum shortens. */
function maximum(spec: JobSpec, { p90Ms }: TimeSpread): Variant[] {
	const { duration } = spec;
	const neededMs = Math.max(MAX_TIMES_P90 * p90Ms, duration.estimateMs ?? 0);
	const maxMs = Math.ceil(neededMs / MAX_STEP_MS) * MAX_STEP_MS;
	if (duration.maxMs !== null && duration.maxMs <= maxMs) return [];
	return [
		{
			change: { kind: "max_duration", maxMs },
			fields: [{ path: ["duration", "max"], value: formatDuration(maxMs) }],
			spec: { ...spec, duration: { ...duration, maxMs } },
		},
	];
}
