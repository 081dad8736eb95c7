import { z } from "zod";
import type { ForeignSight } from "../foreign-queue.ts";
import { KUEUE } from "./kueue.ts";
import { ANNOTATIONS, LABELS } from "./names.ts";
import {
	annotation,
	conditionsSchema,
	containersSchema,
	instant,
	type KubePod,
	metadataSchema,
	resourceRequestsOf,
	text,
	words,
} from "./objects.ts";

/** Written to a Job that ran in the cloud. */
const ranElsewhereSchema = z.object({
	outcome: z.enum(["succeeded", "failed", "cancelled"]),
	exitCode: z.number().int().nullable(),
	comment: z.string(),
	atMs: z.number(),
});
export type RanElsewhere = z.output<typeof ranElsewhereSchema>;

/** A Job of someone else, in a namespace from which jobs may be adopted. */
export interface TheirJob {
	name: string;
	namespace: string;
	uid: string;
	resourceVersion: string;
	createdAtMs: number;
	deletionAtMs: number | null;
	/** The owner's opt-in text; null: none. */
	optIn: string | null;
	/** What admits it besides the cluster: a queue or a controller; null: nothing. */
	manager: string | null;
	holdMark: string | null;
	ranElsewhere: RanElsewhere | null;
	suspended: boolean;
	parallelism: number;
	timeLimitMs: number | null;
	/** Resources that one of its pods requests. */
	asks: Map<string, number>;
	nodeSelector: Record<string, string>;
	conditions: z.output<typeof conditionsSchema>;
	startedAtMs: number | null;
	completedAtMs: number | null;
}

/** The manager of Jobs in a Kueue queue. */
export const KUEUE_MANAGES = "Kueue";

export const theirJobSchema = z
	.object({
		metadata: metadataSchema,
		spec: z.object({
			suspend: z.boolean().nullish(),
			parallelism: z.number().int().nullish(),
			activeDeadlineSeconds: z.number().nullish(),
			managedBy: z.string().nullish(),
			template: z.object({
				spec: z.object({ containers: containersSchema, initContainers: containersSchema, nodeSelector: words, schedulerName: text }),
			}),
		}),
		status: z.object({ conditions: conditionsSchema, startTime: instant, completionTime: instant }).nullish(),
	})
	.transform(({ metadata: m, spec, status }): TheirJob => {
		const pod = spec.template.spec;
		// A CronJob creates Jobs, but does not manage them afterwards.
		const owner = m.ownerReferences?.find(({ kind }) => kind !== "CronJob");
		const queued = [...Object.keys(m.labels), ...Object.keys(m.annotations)].some((key) => key.startsWith(`${KUEUE}/`));
		return {
			name: m.name,
			namespace: m.namespace,
			uid: m.uid,
			resourceVersion: m.resourceVersion,
			createdAtMs: m.creationTimestamp ?? 0,
			deletionAtMs: m.deletionTimestamp,
			optIn: m.labels[LABELS.adopt] === "true" ? "true" : null,
			manager: queued ? KUEUE_MANAGES : (spec.managedBy ?? (owner ? `${owner.kind} ${owner.name}` : null)),
			holdMark: m.annotations[ANNOTATIONS.hold] ?? null,
			ranElsewhere: annotation(ranElsewhereSchema, m.annotations, ANNOTATIONS.ranElsewhere),
			suspended: spec.suspend ?? false,
			parallelism: spec.parallelism ?? 1,
			timeLimitMs: spec.activeDeadlineSeconds == null ? null : spec.activeDeadlineSeconds * 1_000,
			asks: resourceRequestsOf(pod.containers, pod.initContainers),
			nodeSelector: pod.nodeSelector ?? {},
			conditions: status?.conditions ?? [],
			startedAtMs: status?.startTime ?? null,
			completedAtMs: status?.completionTime ?? null,
		};
	});

const GONE: ForeignSight = { state: "gone", holdMark: null, startedAtMs: null, end: null };

/** The state of a Job, with its pods. */
export function sightOfJob(job: TheirJob | null, pods: readonly KubePod[]): ForeignSight {
	if (job === null) return GONE;
	const end = endOf(job);
	if (end !== null) return { state: "over", holdMark: job.holdMark, startedAtMs: job.ranElsewhere ? null : job.startedAtMs, end };
	const bound = pods.filter(isBound);
	if (bound.length > 0) {
		const starts = bound.map((pod) => pod.startedAtMs).filter((ms) => ms !== null);
		return { state: "running", holdMark: null, startedAtMs: starts.length > 0 ? Math.min(...starts) : job.startedAtMs, end: null };
	}
	if (!job.suspended) return { state: "waiting", holdMark: null, startedAtMs: null, end: null };
	return { state: "held", holdMark: job.holdMark, startedAtMs: null, end: null };
}

/** It has a node, and is not being deleted. */
export function isBound(pod: KubePod): boolean {
	return pod.node !== null && pod.deletionAtMs === null && pod.phase !== "Succeeded" && pod.phase !== "Failed";
}

function endOf(job: TheirJob): ForeignSight["end"] {
	const is = (type: string) => job.conditions.find((c) => c.type === type && c.status === "True");
	const complete = is("Complete");
	const over = complete ?? is("Failed");
	// If the server rejected the status, the annotation and the suspension mark its end. If its owner resumes it, it runs again.
	if (job.ranElsewhere && (over || job.suspended)) {
		const { outcome, exitCode, atMs } = job.ranElsewhere;
		return { outcome, exitCode, atMs };
	}
	if (over) {
		const atMs = job.completedAtMs ?? over.lastTransitionTime ?? 0;
		return { outcome: complete ? "succeeded" : "failed", exitCode: complete ? 0 : null, atMs };
	}
	return job.deletionAtMs === null ? null : { outcome: "cancelled", exitCode: null, atMs: job.deletionAtMs };
}
