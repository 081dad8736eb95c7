import { z } from "zod";
import { ANNOTATIONS, LABELS } from "./names.ts";

/** Objects of the API server, in the form that the driver works with. Unused fields are not parsed. */

/** RFC 3339. The zero times of Go and of UNIX mean "never". */
export const instant = z
	.string()
	.nullish()
	.transform((text) => {
		const ms = text ? Date.parse(text) : Number.NaN;
		return Number.isNaN(ms) || ms <= 0 ? null : ms;
	});
export const words = z.record(z.string(), z.string()).nullish();
export const text = z
	.string()
	.nullish()
	.transform((t) => t ?? "");

export const metadataSchema = z.object({
	name: z.string().min(1),
	namespace: text,
	uid: text,
	resourceVersion: text,
	labels: words.transform((l) => l ?? {}),
	annotations: words.transform((a) => a ?? {}),
	finalizers: z
		.array(z.string())
		.nullish()
		.transform((f) => f ?? []),
	creationTimestamp: instant,
	deletionTimestamp: instant,
	deletionGracePeriodSeconds: z.number().nullish(),
	ownerReferences: z.array(z.object({ kind: z.string(), name: z.string(), uid: text })).nullish(),
});
export const conditionsSchema = z
	.array(z.object({ type: z.string(), status: z.string(), reason: text, message: text, lastTransitionTime: instant }))
	.nullish()
	.transform((c) => c ?? []);
export type Condition = z.output<typeof conditionsSchema>[number];

/** Our annotations, each a JSON text. Invalid values are ignored. */
export function annotation<S extends z.ZodType>(schema: S, annotations: Record<string, string>, key: string): z.output<S> | null {
	try {
		return schema.parse(JSON.parse(annotations[key] ?? "null"));
	} catch {
		return null;
	}
}
const attemptMetaSchema = z.object({
	attemptId: z.string(),
	jobId: z.string(),
	attemptNo: z.number().int(),
	poolId: z.string(),
	slots: z.array(z.number().int()),
	nodes: z.number().int().positive(),
	command: z.string(),
	/** Whether a Secret of the same name belongs to it. */
	secret: z.boolean().optional(),
	/** Whether its pods have mounts of the site. */
	mounts: z.boolean().optional(),
});
export type AttemptMeta = z.output<typeof attemptMetaSchema>;
const stopMarkSchema = z.object({ atMs: z.number(), byMs: z.number() });
export type StopMark = z.output<typeof stopMarkSchema>;
const verdictSchema = z.object({
	atMs: z.number(),
	error: z.string(),
	failedAt: z.enum(["image", "staging", "start", "room"]).default("start"),
});
export type Verdict = z.output<typeof verdictSchema>;

/** Metadata that both the Job and the pods of an attempt contain. */
interface OfAttempt {
	name: string;
	createdAtMs: number;
	deletionAtMs: number | null;
	meta: AttemptMeta | null;
	stop: StopMark | null;
	verdict: Verdict | null;
	labels: Record<string, string>;
}
function ofAttempt(m: z.output<typeof metadataSchema>): OfAttempt {
	return {
		name: m.name,
		createdAtMs: m.creationTimestamp ?? 0,
		deletionAtMs: m.deletionTimestamp,
		meta: annotation(attemptMetaSchema, m.annotations, ANNOTATIONS.attempt),
		stop: annotation(stopMarkSchema, m.annotations, ANNOTATIONS.stop),
		verdict: annotation(verdictSchema, m.annotations, ANNOTATIONS.verdict),
		labels: m.labels,
	};
}

const quantity = z.union([z.string(), z.number()]).transform(Number);
const resourcesSchema = z
	.object({ limits: z.record(z.string(), quantity).nullish(), requests: z.record(z.string(), quantity).nullish() })
	.nullish();
export const containersSchema = z.array(z.object({ resources: resourcesSchema })).nullish();

const stateSchema = z
	.object({
		waiting: z.object({ reason: text, message: text }).nullish(),
		running: z.object({ startedAt: instant }).nullish(),
		terminated: z.object({ exitCode: z.number(), reason: text, message: text, startedAt: instant, finishedAt: instant }).nullish(),
	})
	.nullish();
export type ContainerState = NonNullable<z.output<typeof stateSchema>>;

export interface KubePod extends OfAttempt {
	namespace: string;
	uid: string;
	finalizers: string[];
	/** Grace period of its deletion, s; 0: its kubelet has confirmed that it ended, or someone forced the deletion. */
	deletionGraceSeconds: number | null;
	/** Index within a gang; 0 otherwise. */
	index: number;
	node: string | null;
	phase: string;
	reason: string;
	message: string;
	conditions: Condition[];
	startedAtMs: number | null;
	container: ContainerState | null;
	priority: number;
	schedulingGates: string[];
	owner: { kind: string; name: string; uid: string } | null;
	nodeSelector: Record<string, string>;
	/** Requested extended resources, by name. */
	asks: Map<string, number>;
}

export const podSchema = z
	.object({
		metadata: metadataSchema,
		spec: z.object({
			nodeName: z.string().nullish(),
			nodeSelector: words.transform((l) => l ?? {}),
			priority: z.number().nullish(),
			schedulingGates: z.array(z.object({ name: z.string() })).nullish(),
			containers: containersSchema,
			initContainers: containersSchema,
		}),
		status: z
			.object({
				phase: text,
				reason: text,
				message: text,
				startTime: instant,
				conditions: conditionsSchema,
				containerStatuses: z.array(z.object({ state: stateSchema })).nullish(),
			})
			.nullish(),
	})
	.transform(({ metadata, spec, status }): KubePod => {
		const index = Number(metadata.labels[LABELS.index] ?? metadata.annotations[LABELS.index] ?? 0);
		return {
			...ofAttempt(metadata),
			namespace: metadata.namespace,
			uid: metadata.uid,
			finalizers: metadata.finalizers,
			deletionGraceSeconds: metadata.deletionTimestamp === null ? null : (metadata.deletionGracePeriodSeconds ?? null),
			index: Number.isInteger(index) ? index : 0,
			node: spec.nodeName || null,
			phase: status?.phase ?? "",
			reason: status?.reason ?? "",
			message: status?.message ?? "",
			conditions: status?.conditions ?? [],
			startedAtMs: status?.startTime ?? null,
			container: status?.containerStatuses?.[0]?.state ?? null,
			priority: spec.priority ?? 0,
			schedulingGates: (spec.schedulingGates ?? []).map((g) => g.name),
			owner: metadata.ownerReferences?.[0] ?? null,
			nodeSelector: spec.nodeSelector,
			asks: resourceRequestsOf(spec.containers, spec.initContainers),
		};
	});

export function resourceRequestsOf(
	containers: z.output<typeof containersSchema>,
	initContainers: z.output<typeof containersSchema>,
): Map<string, number> {
	const asks = new Map<string, number>();
	for (const { resources } of containers ?? [])
		for (const [name, count] of extended(resources)) asks.set(name, (asks.get(name) ?? 0) + count);
	for (const { resources } of initContainers ?? [])
		for (const [name, count] of extended(resources)) asks.set(name, Math.max(asks.get(name) ?? 0, count));
	return asks;
}

function extended(resources: z.output<typeof resourcesSchema>): [string, number][] {
	return Object.entries({ ...resources?.limits, ...resources?.requests }).filter(([name]) => name.includes("/"));
}

export interface KubeJob extends OfAttempt {
	uid: string;
	suspended: boolean;
	/** Parallelism; with 0 it creates no more pods. */
	parallelism: number;
	completed: boolean;
	failed: boolean;
	/** Pods that it has had. Shows that one started even if the Job's pods no longer exist. */
	hadPods: boolean;
	completedAtMs: number | null;
}

export const jobSchema = z
	.object({
		metadata: metadataSchema,
		spec: z.object({
			suspend: z.boolean().nullish(),
			parallelism: z.number().int().nullish(),
		}),
		status: z
			.object({
				conditions: conditionsSchema,
				active: z.number().nullish(),
				succeeded: z.number().nullish(),
				failed: z.number().nullish(),
				completionTime: instant,
			})
			.nullish(),
	})
	.transform(({ metadata, spec, status }): KubeJob => {
		const is = (type: string) => status?.conditions.some((c) => c.type === type && c.status === "True") ?? false;
		return {
			...ofAttempt(metadata),
			uid: metadata.uid,
			suspended: spec.suspend ?? false,
			parallelism: spec.parallelism ?? 1,
			completed: is("Complete"),
			failed: is("Failed"),
			hadPods: (status?.active ?? 0) + (status?.succeeded ?? 0) + (status?.failed ?? 0) > 0,
			completedAtMs: status?.completionTime ?? null,
		};
	});

export interface KubeNode {
	name: string;
	labels: Record<string, string>;
	ready: boolean;
	/** The cluster's reason while it is not ready; empty if there is none. */
	notReadyWhy: string;
	cordoned: boolean;
	taints: { key: string; value: string; effect: string }[];
	capacity: Map<string, number>;
	allocatable: Map<string, number>;
}

const resourceMap = z
	.record(z.string(), z.union([z.string(), z.number()]))
	.nullish()
	.transform((r) => new Map(Object.entries(r ?? {}).flatMap(([k, v]) => (k.includes("/") ? [[k, Number(v)] as const] : []))));

export const nodeSchema = z
	.object({
		metadata: metadataSchema,
		spec: z
			.object({
				unschedulable: z.boolean().nullish(),
				taints: z.array(z.object({ key: z.string(), value: text, effect: z.string() })).nullish(),
			})
			.nullish(),
		status: z.object({ capacity: resourceMap, allocatable: resourceMap, conditions: conditionsSchema }).nullish(),
	})
	.transform(({ metadata, spec, status }): KubeNode => {
		const readiness = status?.conditions.find((c) => c.type === "Ready");
		const ready = readiness?.status === "True";
		return {
			...{ name: metadata.name, labels: metadata.labels, ready },
			notReadyWhy: ready || !readiness ? "" : readiness.message || readiness.reason,
			cordoned: spec?.unschedulable ?? false,
			taints: spec?.taints ?? [],
			capacity: status?.capacity ?? new Map(),
			allocatable: status?.allocatable ?? new Map(),
		};
	});

export const eventSchema = z
	.object({
		metadata: metadataSchema,
		involvedObject: z.object({ kind: text, name: text, uid: text }),
		type: text,
		reason: text,
		message: text,
		firstTimestamp: instant,
		lastTimestamp: instant,
		eventTime: instant,
	})
	.transform((e) => ({
		about: e.involvedObject,
		warning: e.type === "Warning",
		reason: e.reason,
		message: e.message,
		atMs: e.firstTimestamp ?? e.eventTime ?? e.metadata.creationTimestamp ?? 0,
	}));
export type KubeEvent = z.output<typeof eventSchema>;
