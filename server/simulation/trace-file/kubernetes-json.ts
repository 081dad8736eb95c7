import { z } from "zod";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import { BadRow, numberIn, TRACE_LIMITS, UNKNOWN_TEAM } from "./trace-rows.ts";
import type { RowInput } from "./types.ts";

const moment = z.iso.datetime({ offset: true, error: "is not a time as 2026-11-21T07:30:00Z" }).nullish();
const amounts = z.record(z.string(), z.union([z.string(), z.number()])).nullish();
const podSpec = z.object({
	nodeSelector: z.record(z.string(), z.string()).nullish(),
	containers: z.array(z.object({ resources: z.object({ limits: amounts, requests: amounts }).nullish() })),
});
const template = z.object({ spec: podSpec });
const replica = z.object({ replicas: z.number().int().min(0).max(TRACE_LIMITS.gpus).nullish(), template });
const condition = z.object({ type: z.string(), status: z.string(), lastTransitionTime: moment });
const count = z.number().int().min(0).max(TRACE_LIMITS.gpus).nullish();

const schema = z.object({
	kind: z.string().nullish(),
	metadata: z.object({
		name: z.string(),
		namespace: z.string().nullish(),
		uid: z.string().nullish(),
		creationTimestamp: moment,
		labels: z.record(z.string(), z.string()).nullish(),
	}),
	spec: z.looseObject({
		parallelism: count,
		completions: count,
		activeDeadlineSeconds: z.number().min(0).nullish(),
		template: template.nullish(),
	}),
	status: z.object({ startTime: moment, completionTime: moment, conditions: z.array(condition).nullish() }).nullish(),
});
type Workload = z.output<typeof schema>;

const GPU_RESOURCES = ["nvidia.com/gpu", "amd.com/gpu"];
const MIG = /^nvidia\.com\/mig-/;
const PRODUCT_LABELS = ["nvidia.com/gpu.product", "cloud.google.com/gke-accelerator", "amd.com/gpu.product-name"];
const ENDED = ["Complete", "Succeeded", "Failed"];

/**
 * One Job, or a Kubeflow job (`*ReplicaSpecs`), as kubectl lists it. It ran from status.startTime to its completion. Its wait is from
 * creation to start, which a queue like Kueue delays. Pods that were pending after the start count as running.
 */
export function kubernetesJob(raw: unknown, { notes, named }: Pick<RowInput, "notes" | "named">): TraceJob | null {
	const job = schema.parse(raw);
	const pods = podsOf(job);
	const gpus = pods.reduce((sum, { spec, count: n }) => sum + n * gpusOf(spec), 0);
	if (gpus === 0) {
		notes.withoutGpus++;
		return null;
	}
	const { metadata, status } = job;
	const startMs = status?.startTime ? Date.parse(status.startTime) : null;
	if (startMs === null) {
		notes.neverStarted++;
		return null;
	}
	const end = endOf(job);
	const submitMs = metadata.creationTimestamp ? Date.parse(metadata.creationTimestamp) : startMs;
	if (end.atMs < startMs) throw new BadRow("status.completionTime", "The end is before the start.", "Leave such jobs out.");
	if (end.atMs === startMs) {
		notes.neverStarted++;
		return null;
	}
	if (pods.some(({ spec }) => hasSlices(spec))) notes.fractionsRoundedUp++;
	const limitS = job.spec.activeDeadlineSeconds;
	return {
		id: metadata.uid ?? `${metadata.namespace ?? ""}/${metadata.name}`,
		...{ submitMs, durationMs: end.atMs - startMs, gpus, waitMs: Math.max(0, startMs - submitMs) },
		...{ team: metadata.namespace || UNKNOWN_TEAM, user: null, accelerators: named(modelsOf(pods)) },
		...{ deadlineMs: null, deadlineKind: null, status: end.status, limitMs: limitS ? limitS * 1000 : null },
	};
}

function endOf({ status }: Workload): { atMs: number; status: string } {
	const last = status?.conditions?.find(({ type, status: is }) => ENDED.includes(type) && is === "True");
	const at = status?.completionTime ?? last?.lastTransitionTime;
	if (!at)
		throw new BadRow("status.completionTime", "The job has not ended, and a list does not say how long it ran.", "List it after it ended.");
	return { atMs: Date.parse(at), status: last?.type === "Failed" ? "Failed" : "Complete" };
}

interface Pods {
	spec: z.output<typeof podSpec>;
	count: number;
}

/** Concurrent pods: the parallelism of a Job, the replicas of each part of a Kubeflow job. */
function podsOf({ spec }: Workload): Pods[] {
	if (spec.template)
		return [{ spec: spec.template.spec, count: Math.min(spec.parallelism ?? 1, spec.completions ?? Number.POSITIVE_INFINITY) }];
	return Object.entries(spec).flatMap(([key, value]) =>
		key.endsWith("ReplicaSpecs")
			? Object.values(z.record(z.string(), replica).parse(value)).map((part) => ({ spec: part.template.spec, count: part.replicas ?? 1 }))
			: [],
	);
}

function resourcesOf(spec: Pods["spec"]): [string, string][] {
	return spec.containers.flatMap(({ resources }) =>
		Object.entries(resources?.limits ?? resources?.requests ?? {}).map(([name, amount]): [string, string] => [name, String(amount)]),
	);
}

function gpusOf(spec: Pods["spec"]): number {
	return resourcesOf(spec)
		.filter(([name]) => GPU_RESOURCES.includes(name) || MIG.test(name))
		.reduce((sum, [name, amount]) => sum + Math.ceil(numberIn(name, amount, "GPUs", TRACE_LIMITS.gpus)), 0);
}

function hasSlices(spec: Pods["spec"]): boolean {
	return resourcesOf(spec).some(([name]) => MIG.test(name));
}

function modelsOf(pods: readonly Pods[]): string {
	const names = pods.flatMap(({ spec }) => PRODUCT_LABELS.flatMap((label) => spec.nodeSelector?.[label] ?? []));
	return [...new Set(names)].join("|");
}
