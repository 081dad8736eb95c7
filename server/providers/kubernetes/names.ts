import { createHash } from "node:crypto";

const DOMAIN = "spillway.dev";
export const LABELS = {
	/** The owner: two sites, or two Spillways, may share a namespace. */
	site: `${DOMAIN}/site`,
	attempt: `${DOMAIN}/attempt`,
	/** Kubernetes' own of Indexed Jobs, given to plain pods too. */
	index: "batch.kubernetes.io/job-completion-index",
	/** By it the owner of a Job says that Spillway may take it elsewhere. */
	adopt: `${DOMAIN}/adopt`,
	queue: "kueue.x-k8s.io/queue-name",
} as const;
export const ANNOTATIONS = {
	/** An AttemptMeta: who it is and what it holds. */
	attempt: `${DOMAIN}/attempt`,
	/** A StopMark: that we asked it to end. */
	stop: `${DOMAIN}/stop`,
	/** A Verdict: why it will never run. */
	verdict: `${DOMAIN}/verdict`,
	/** On a Job of others: the mark of our hold. */
	hold: `${DOMAIN}/held-for`,
	/** On a Job of others: a RanElsewhere, how it ended in the cloud. */
	ranElsewhere: `${DOMAIN}/ran-elsewhere`,
} as const;
/** Keeps autoscalers (cluster-autoscaler, Karpenter) from taking away the node of a pod that runs. */
export const STAYS = { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true" } as const;
/** Keeps a pod that is over, or was deleted by anybody, until its end was seen. */
export const FINALIZER = `${DOMAIN}/end-seen`;
export const CONTAINER = "job";

/** The name of an attempt's objects: readable, a DNS label, and one attempt's only. */
export function objectNameOf(attemptId: string): string {
	const readable = attemptId
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, "-")
		.slice(0, 38)
		.replaceAll(/^-+|-+$/g, "");
	return `sw-${readable}-${digest(attemptId)}`;
}

/** A label's value for any site id. */
export function siteLabelOf(siteId: string): string {
	return /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(siteId) ? siteId : `site-${digest(siteId)}`;
}

function digest(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
