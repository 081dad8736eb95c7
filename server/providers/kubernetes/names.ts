import { createHash } from "node:crypto";

const DOMAIN = "spillway.dev";
export const LABELS = {
	/** The owner, because two sites or two Spillways may share a namespace. */
	site: `${DOMAIN}/site`,
	attempt: `${DOMAIN}/attempt`,
	/** Kubernetes' own annotation of Indexed Jobs, also set on plain pods. */
	index: "batch.kubernetes.io/job-completion-index",
	/** With this label, the owner of a Job allows Spillway to run it elsewhere. */
	adopt: `${DOMAIN}/adopt`,
	queue: "kueue.x-k8s.io/queue-name",
} as const;
export const ANNOTATIONS = {
	/** An AttemptMeta: its identity and what it holds. */
	attempt: `${DOMAIN}/attempt`,
	/** A StopMark: we requested its end. */
	stop: `${DOMAIN}/stop`,
	/** A Verdict: why it will never run. */
	verdict: `${DOMAIN}/verdict`,
	/** On a Job of others: the mark of our hold. */
	hold: `${DOMAIN}/held-for`,
	/** On a Job of others: a RanElsewhere, how it ended in the cloud. */
	ranElsewhere: `${DOMAIN}/ran-elsewhere`,
} as const;
/** Prevents autoscalers (cluster-autoscaler, Karpenter) from removing the node of a running pod. */
export const STAYS = { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true" } as const;
/** Keeps a pod that has ended or was deleted until its end has been recorded. */
export const FINALIZER = `${DOMAIN}/end-seen`;
export const CONTAINER = "job";

/** The name of an attempt's objects: readable, a valid DNS label, and unique to the attempt. */
export function objectNameOf(attemptId: string): string {
	const readable = attemptId
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, "-")
		.slice(0, 38)
		.replaceAll(/^-+|-+$/g, "");
	return `sw-${readable}-${digest(attemptId)}`;
}

/** A valid label value for any site id. */
export function siteLabelOf(siteId: string): string {
	return /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(siteId) ? siteId : `site-${digest(siteId)}`;
}

function digest(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
