import { randomBytes } from "node:crypto";
import { deleteObject } from "../deletion.ts";
import { type ApiObject, type JobObject, type PodObject, RESOURCE_TYPES } from "../objects.ts";
import type { Store } from "../store.ts";

const INDEX = "batch.kubernetes.io/job-completion-index";
const POD_TYPE = RESOURCE_TYPES.find((t) => t.kind === "Pod");

/** Creates the pods that Jobs need, deletes those that they no longer need, and updates each Job's status. */
export function syncJobs(store: Store): void {
	for (const job of store.list<JobObject>("jobs", null)) syncJob(store, job);
}

function syncJob(store: Store, job: JobObject): void {
	const pods = store
		.list<PodObject>("pods", job.metadata.namespace ?? "")
		.filter((p) => p.metadata.ownerReferences?.some((o) => o.uid === job.metadata.uid));
	const isDone = job.status.conditions?.some((c) => ["Complete", "Failed"].includes(c.type) && c.status === "True") ?? false;
	if (isDone || job.metadata.deletionTimestamp) return;
	const { parallelism = 1, completions = 1, backoffLimit = 6, suspend = false } = job.spec;
	const succeeded = pods.filter((p) => p.status.phase === "Succeeded");
	const uncounted = uncountedOf(store);
	const failed = pods.filter((p) => p.status.phase === "Failed" && !uncounted.has(p.metadata.uid));
	const open = pods.filter((p) => p.status.phase !== "Succeeded" && p.status.phase !== "Failed");
	// Before 1.28, and with the default policy, a pod that is being deleted is replaced immediately.
	const replacesWhenOver = job.spec.podReplacementPolicy === "Failed";
	const active = open.filter((p) => !p.metadata.deletionTimestamp);
	const counted = replacesWhenOver ? open : active;
	const fail = failed.length > backoffLimit;
	const surplus = suspend || fail ? active : active.slice(parallelism);
	for (const pod of surplus) {
		uncounted.add(pod.metadata.uid);
		deleteObject(store, "pods", pod, null);
	}
	if (!suspend && !fail) {
		const missing = Math.min(parallelism, completions - succeeded.length) - counted.length;
		for (let i = 0; i < missing; i++) createPod(store, job, [...counted, ...succeeded], i);
	}
	const now = new Date().toISOString();
	const condition = (type: string, reason: string) => [
		{ type, status: "True", reason, message: "", lastTransitionTime: now as unknown as Date },
	];
	const complete = succeeded.length >= completions;
	const status = {
		active: suspend ? 0 : active.length,
		succeeded: succeeded.length,
		failed: failed.length,
		...(suspend ? {} : { startTime: job.status.startTime ?? now.slice(0, 19).concat("Z") }),
		...(complete ? { conditions: condition("Complete", "CompletionsReached"), completionTime: now } : {}),
		...(fail && open.length === 0 ? { conditions: condition("Failed", "BackoffLimitExceeded") } : {}),
	};
	const before = { ...job.status, startTime: null, completionTime: null };
	if (
		JSON.stringify({ ...before, ...status, startTime: null, completionTime: null }) === JSON.stringify(before) &&
		(suspend || job.status.startTime)
	)
		return;
	const now2 = store.get<JobObject>("jobs", job.metadata.namespace ?? null, job.metadata.name);
	if (now2) store.update("jobs", { ...now2, status: { ...now2.status, ...status } } as JobObject);
}

const UNCOUNTED = new WeakMap<Store, Set<string>>();

/**
 * Pods that the controller deleted itself. It stops tracking them first, so they do not count as failures, and a suspended Job
 * without retries creates another when it is resumed (seen on 1.36.2).
 */
function uncountedOf(store: Store): Set<string> {
	const found = UNCOUNTED.get(store) ?? new Set<string>();
	UNCOUNTED.set(store, found);
	return found;
}

function createPod(store: Store, job: JobObject, there: readonly PodObject[], nth: number): void {
	const { template, completionMode, completions = 1 } = job.spec;
	const isIndexed = completionMode === "Indexed";
	const taken = new Set(there.map((p) => p.metadata.annotations?.[INDEX]));
	const free = Array.from({ length: completions }, (_, i) => String(i)).filter((i) => !taken.has(i));
	const index = isIndexed ? free[nth] : undefined;
	if (isIndexed && index === undefined) return;
	const { name, uid, namespace = "default" } = job.metadata;
	const own = index === undefined ? {} : { [INDEX]: index };
	const metadata = {
		...(template.metadata ?? {}),
		name: `${name}-${index === undefined ? "" : `${index}-`}${randomBytes(3).toString("hex").slice(0, 5)}`,
		namespace,
		labels: { ...template.metadata?.labels, ...own, "job-name": name, "batch.kubernetes.io/job-name": name },
		annotations: { ...template.metadata?.annotations, ...own },
		ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name, uid, controller: true }],
	};
	const spec = structuredClone(template.spec);
	if (index !== undefined && spec) {
		spec.hostname ??= `${name}-${index}`;
		for (const container of spec.containers) container.env = [...(container.env ?? []), { name: "JOB_COMPLETION_INDEX", value: index }];
	}
	if (POD_TYPE)
		store.create(POD_TYPE, { apiVersion: "v1", kind: "Pod", metadata, spec, status: { phase: "Pending" } } as unknown as ApiObject);
}

/** Objects owned by a deleted object are deleted too. */
export function collectGarbage(store: Store): void {
	const owners = new Set(["jobs", "pods", "services"].flatMap((plural) => store.list(plural, null).map((o) => o.metadata.uid)));
	for (const pod of store.list<PodObject>("pods", null)) {
		const { ownerReferences = [], deletionTimestamp } = pod.metadata;
		if (ownerReferences.length > 0 && !deletionTimestamp && !ownerReferences.some((o) => owners.has(o.uid)))
			deleteObject(store, "pods", pod, null);
	}
}
