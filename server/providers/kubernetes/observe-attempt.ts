import type { ClusterWait } from "#server/domain/cluster-wait.ts";
import type { AttemptObservation } from "../driver.ts";
import { parseExit } from "../local/observe-attempt.ts";
import type { AttemptMeta, KubeEvent, KubeJob, KubePod, StopMark, Verdict } from "./objects.ts";

type Exit = NonNullable<AttemptObservation["exit"]>;

/** The cluster's facts about one attempt. */
export interface AttemptFacts {
	meta: AttemptMeta;
	/** null if it runs as plain pods, or if its Job was deleted. */
	job: KubeJob | null;
	pods: KubePod[];
	/** Whether it was created as a Job, even if that no longer exists. */
	asJob: boolean;
	createdAtMs: number;
	/** Set if we requested its end. */
	stop: StopMark | null;
	/** Why it will never run, as determined by us. */
	verdict: Verdict | null;
}

export interface Surroundings {
	nowMs: number;
	/** Whether a node exists and is ready. A node that is not ready cannot report how its pods ended. */
	isNodeReady(name: string): boolean;
	nodeLostAfterMs: number;
}

/** Length limit: a scheduler's message contains every reason for every node. */
const WAIT_TEXT_MAX = 500;
/** The Job controller may still act on what it saw just before its parallelism became 0. */
const NO_PODS_SETTLE_MS = 1_000;
/** Plain pods of a gang are created within one call; a gang that is incomplete after this time will stay incomplete. */
const INCOMPLETE_AFTER_MS = 60_000;

/** The state of one pod. `cause`: why it is over, if not by its command's own end. */
export type PodState =
	| { kind: "waiting" | "running"; startedAtMs: number | null }
	| { kind: "over"; startedAtMs: number | null; finishedAtMs: number; exit: Exit | null; cause: "ended" | "taken_away" | "deleted" };

/**
 * The cluster's reasons for evicting a pod, which are not a failure of its command. Sources: kubelet and controllers up to 1.36.
 */
const TAKEN_AWAY = [
	...[
		"Evicted",
		"NodeLost",
		"Preempting",
		"Preempted",
		"Shutdown",
		"NodeShutdown",
		"Terminated",
		"NodeAffinity",
		"UnexpectedAdmissionError",
	],
	...["PreemptionByScheduler", "EvictionByEvictionAPI", "DeletionByTaintManager", "DeletionByPodGC", "TerminationByKubelet"],
];
/** The reason of containerd and Docker when the command's program could not be started. */
const NOT_STARTED = ["StartError", "ContainerCannotRun"];

export function wasDisrupted(pod: KubePod): boolean {
	const target = pod.conditions.some((c) => c.type === "DisruptionTarget" && c.status === "True");
	// "OutOfcpu", "OutOfnvidia.com/gpu": the node lacked resources that the scheduler expected.
	return target || TAKEN_AWAY.includes(pod.reason) || pod.reason.startsWith("OutOf");
}

export function podStateOf(pod: KubePod, meta: AttemptMeta, around: Surroundings): PodState {
	const { container, deletionAtMs } = pod;
	const ended = container?.terminated;
	const startedAtMs = ended?.startedAt ?? container?.running?.startedAt ?? null;
	if (ended && (pod.phase === "Succeeded" || pod.phase === "Failed" || deletionAtMs !== null)) {
		const finishedAtMs = ended.finishedAt ?? deletionAtMs ?? around.nowMs;
		const exit = exitOf(ended, meta);
		// A program that exits with 0 after its eviction has saved, not finished. A container that had ended before counts.
		const askedAtMs = deletionAtMs === null ? null : deletionAtMs - (pod.deletionGraceSeconds ?? 0) * 1_000;
		const before = askedAtMs !== null && finishedAtMs < askedAtMs;
		const cause = wasDisrupted(pod) && !before ? "taken_away" : deletionAtMs !== null && !before ? "deleted" : "ended";
		return { kind: "over", startedAtMs: exit.error === null ? startedAtMs : null, finishedAtMs, exit, cause };
	}
	const over = (finishedAtMs: number) => ({ kind: "over" as const, startedAtMs, finishedAtMs, exit: null });
	if (pod.phase === "Failed" || pod.phase === "Succeeded") {
		const cause = wasDisrupted(pod) ? "taken_away" : deletionAtMs === null ? "ended" : "deleted";
		return { ...over(deletionAtMs ?? pod.startedAtMs ?? around.nowMs), cause };
	}
	if (deletionAtMs !== null) {
		const cause = wasDisrupted(pod) ? "taken_away" : "deleted";
		// No node has it, or its kubelet reports that it has ended.
		if (pod.node === null || pod.deletionGraceSeconds === 0) return { ...over(deletionAtMs), cause };
		const overdue = around.nowMs > deletionAtMs + around.nodeLostAfterMs;
		if (overdue && !around.isNodeReady(pod.node)) return { ...over(deletionAtMs), cause: "taken_away" };
	}
	return { kind: container?.running ? "running" : "waiting", startedAtMs };
}

function exitOf({ exitCode, reason, message }: { exitCode: number; reason: string; message: string }, { command }: AttemptMeta): Exit {
	if (!NOT_STARTED.includes(reason)) return { ...parseExit(String(exitCode)), ...(reason === "OOMKilled" ? { outOfMemory: true } : {}) };
	const error = `the command ${JSON.stringify(command)} could not be started: ${message || reason}`;
	return { code: null, signal: null, error, failedAt: "start" };
}

/** The attempt in the port's form. */
export function observationOf(facts: AttemptFacts, around: Surroundings): AttemptObservation {
	const { meta, stop, verdict, pods } = facts;
	const states = pods.map((pod) => ({ pod, state: podStateOf(pod, meta, around) }));
	const starts = states.map(({ state }) => state.startedAtMs).filter((ms) => ms !== null);
	const startedAtMs = starts.length > 0 ? Math.min(...starts) : null;
	const common = { attemptId: meta.attemptId, slots: meta.slots, clusterWait: null, startedAtMs, finishedAtMs: null, exit: null };
	const overs = states.flatMap(({ pod, state }) => (state.kind === "over" ? [{ pod, ...state }] : []));
	if (!isOver(facts, overs.length, around)) {
		const ending = stop !== null || verdict !== null || overs.some((o) => o.exit?.code !== 0) || pods.some((p) => p.deletionAtMs !== null);
		const phase = ending
			? "stopping"
			: states.some(({ state }) => state.kind === "running") || startedAtMs !== null
				? "running"
				: "staging";
		return { ...common, phase };
	}
	const exit = endOf(facts, overs);
	const ranFromMs = exit === null || exit.error === null ? startedAtMs : null;
	const ends = overs.map((o) => o.finishedAtMs);
	const last = ends.length > 0 ? Math.max(...ends) : (facts.job?.completedAtMs ?? facts.job?.deletionAtMs ?? stop?.atMs ?? around.nowMs);
	const finishedAtMs = Math.max(last, ranFromMs ?? 0);
	const end = { startedAtMs: ranFromMs, finishedAtMs, exit };
	if (exit !== null) return { ...common, ...end, phase: "exited" };
	const neverRan = verdict?.failedAt === "room" && stop === null && startedAtMs === null;
	return { ...common, ...end, phase: "lost", ...(neverRan && { noRoom: verdict.error }) };
}

/** Event reasons of autoscalers for a pod: cluster-autoscaler 1.20 to 1.36, Karpenter 1. */
const SCALING = ["TriggeredScaleUp", "NotTriggerScaleUp", "Nominated"];
/** Karpenter's message for a pod for which it creates no node. Its reason is the same as the scheduler's. */
const KARPENTER_CANNOT = "Failed to schedule pod, ";
/**
 * Cluster-autoscaler's reasons not to add a node that last for minutes at least: for the group, and for the whole cluster (in
 * 1.36, and in the earlier wording).
 */
const GROWS_NO_MORE = new RegExp(
	[
		...["max node group size reached", "in backoff after failed scale-up"],
		...["max total nodes in cluster reached", "exceeded quota: ", "max cluster .+ limit reached"],
	].join("|"),
);

/** A container that is being created is not waiting for anything. */
const BEGINS = ["ContainerCreating", "PodInitializing"];

/**
 * Why an attempt waits in the cluster before its command begins: the scheduler's message for a pod without a node, a node's for
 * one that cannot start, or Kueue's for its Job. An autoscaler's message for a pod without a node takes precedence.
 * @param says.queued Kueue's message @param says.unplaced the events of a pod without a node
 */
export function waitOf(
	{ pods }: Pick<AttemptFacts, "pods">,
	says: { queued: readonly KubeEvent[]; unplaced?: readonly KubeEvent[] },
): ClusterWait | null {
	const said = (reason: string, message: string): ClusterWait => ({ reason, detail: message.slice(0, WAIT_TEXT_MAX) });
	const unplaced = unplacedPodOf({ pods });
	const scaling = newestOf((says.unplaced ?? []).filter(isOfAutoscaler));
	if (unplaced && scaling) return said(scaling.reason, scaling.message);
	const scheduled = unplaced?.conditions.find((c) => c.type === "PodScheduled" && c.status === "False");
	if (scheduled) return said(scheduled.reason || "Unschedulable", scheduled.message);
	const stuck = pods.map((pod) => pod.container?.waiting).find((waiting) => waiting && !BEGINS.includes(waiting.reason));
	if (stuck) return said(stuck.reason, stuck.message);
	const newest = newestOf(says.queued);
	return newest ? said(newest.reason, newest.message) : null;
}

function isOfAutoscaler({ reason, message }: KubeEvent): boolean {
	return SCALING.includes(reason) || (reason === "FailedScheduling" && message.startsWith(KARPENTER_CANNOT));
}

export function unplacedPodOf({ pods }: Pick<AttemptFacts, "pods">): KubePod | null {
	return pods.find((pod) => pod.node === null && pod.deletionAtMs === null) ?? null;
}

function newestOf(events: readonly KubeEvent[]): KubeEvent | null {
	return events.toSorted((a, b) => b.atMs - a.atMs)[0] ?? null;
}

/** Whether nothing of it runs or will run. */
function isOver(facts: AttemptFacts, overs: number, around: Surroundings): boolean {
	const { meta, job, pods, asJob, createdAtMs, stop, verdict } = facts;
	const { nowMs } = around;
	if (overs < pods.length) return false;
	if (canStartAgain(facts, around)) return false;
	if (pods.length > 0) {
		// Pods of a gang that were never created, or no longer exist, count as over when the Job has ended.
		if (pods.length >= meta.nodes || stop !== null || verdict !== null) return true;
		if (asJob) return job === null || job.completed || job.failed || job.suspended || job.deletionAtMs !== null;
		return true;
	}
	if (stop !== null) return nowMs - stop.atMs >= NO_PODS_SETTLE_MS;
	if (job === null) return !asJob || nowMs - createdAtMs >= INCOMPLETE_AFTER_MS;
	return job.completed || job.failed || job.deletionAtMs !== null || (job.suspended && job.hadPods);
}

/**
 * A pod of its Job was removed externally, and the Job would create another. A controller that removed the pod itself because the
 * Job was suspended does so on resume, even if the Job has no retries. Only Spillway decides whether it runs again.
 */
export function canStartAgain({ meta, job, pods, stop, verdict }: AttemptFacts, around: Surroundings): boolean {
	if (!job || job.completed || job.failed || job.deletionAtMs !== null || job.parallelism === 0) return false;
	if (stop !== null || verdict !== null) return false;
	return pods.some((pod) => {
		const state = podStateOf(pod, meta, around);
		return state.kind === "over" && state.cause !== "ended";
	});
}

type Over = Extract<PodState, { kind: "over" }> & { pod: KubePod };

/** How it ended; null: it was evicted or deleted, and may be run again. */
function endOf(facts: AttemptFacts, overs: readonly Over[]): Exit | null {
	const { job, stop, verdict, asJob } = facts;
	const ran = overs.some((o) => o.startedAtMs !== null);
	if (verdict && verdict.failedAt !== "room") return { code: null, signal: null, error: verdict.error, failedAt: verdict.failedAt };
	// A node may have arrived while the attempt was being withdrawn; an end there counts.
	if (verdict && !ran) return null;
	const worst = worstOf(overs);
	if (stop) return worst?.exit ?? { code: null, signal: ran ? "SIGKILL" : "SIGTERM", error: null };
	if (overs.length === 0) {
		if (job?.completed) return { code: 0, signal: null, error: null };
		return job?.deletionAtMs && !job.hadPods ? deletedBefore(job.name) : null;
	}
	if (overs.some((o) => o.cause === "taken_away") || job?.suspended) return null;
	const own = worstOf(overs.filter((o) => o.cause === "ended"));
	// If one member of a gang fails, the others are deleted, and its end is the gang's.
	if (own && own.exit === null) return { code: null, signal: null, error: reasonOf(own.pod), failedAt: "start" };
	if (own?.exit && own.exit.code !== 0) return own.exit;
	if (overs.every((o) => o.cause === "ended")) return own?.exit ?? null;
	// A deleted Job means a cancellation. A deleted pod is how nodes are drained.
	const cancelled = asJob && (job === null || job.deletionAtMs !== null);
	if (!cancelled) return null;
	return ran ? (worst?.exit ?? { code: null, signal: "SIGKILL", error: null }) : deletedBefore(overs[0]?.pod.name ?? "");
}

function deletedBefore(name: string): Exit {
	return { code: null, signal: null, error: `${name} was deleted in the cluster before it ran`, failedAt: "start" };
}

/** The first member that failed; if none did, the first of the gang. */
function worstOf(overs: readonly Over[]): Over | null {
	const bad = overs.filter((o) => o.exit?.code !== 0).sort((a, b) => a.finishedAtMs - b.finishedAtMs || a.pod.index - b.pod.index);
	// A known end takes precedence over an unknown one.
	return bad.find((o) => o.exit !== null) ?? bad[0] ?? overs[0] ?? null;
}

function reasonOf(pod: KubePod): string {
	return `the cluster ended pod ${pod.name} before its command ran: ${[pod.reason, pod.message].filter(Boolean).join(": ") || "no reason reported"}`;
}

/** Why a pod waits for its container, if that may last forever: its image or its configuration. */
const IMAGE_PROBLEMS = ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"];
const START_PROBLEMS = [...IMAGE_PROBLEMS, "CreateContainerConfigError", "CreateContainerError"];
const HOPELESS = ["InvalidImageName", "ErrImageNeverPull"];

/** Why an attempt must be given up, or null. A registry problem may be temporary, so it is given some time. */
export function startProblemOf(
	{ pods }: AttemptFacts,
	{ nowMs }: { nowMs: number },
	patienceMs: number,
): Pick<Verdict, "error" | "failedAt"> | null {
	for (const { container, startedAtMs, createdAtMs, name } of pods) {
		const waiting = container?.waiting;
		if (!waiting || !START_PROBLEMS.includes(waiting.reason)) continue;
		if (!HOPELESS.includes(waiting.reason) && nowMs - (startedAtMs ?? createdAtMs) < patienceMs) continue;
		const error = `pod ${name} cannot start: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ""}`;
		return { error, failedAt: IMAGE_PROBLEMS.includes(waiting.reason) ? "image" : "start" };
	}
	return null;
}

/** A pod that its node has been preparing for longer than `patienceMs`; only for jobs with mounts. */
export function unpreparedPodOf({ meta, pods }: AttemptFacts, { nowMs }: { nowMs: number }, patienceMs: number): KubePod | null {
	if (meta.mounts !== true) return null;
	const isPreparing = ({ container, node, deletionAtMs }: KubePod): boolean =>
		node !== null &&
		deletionAtMs === null &&
		!container?.running &&
		!container?.terminated &&
		BEGINS.includes(container?.waiting?.reason ?? "");
	return pods.find((pod) => isPreparing(pod) && nowMs - (pod.startedAtMs ?? pod.createdAtMs) >= patienceMs) ?? null;
}

/** A volume that a node cannot mount: the node retries forever, so the attempt is given up. */
export function mountProblemOf(pod: KubePod, says: readonly KubeEvent[]): Pick<Verdict, "error" | "failedAt"> | null {
	const last = newestOf(says.filter(({ reason }) => reason === "FailedMount" || reason === "FailedAttachVolume"));
	return last ? { error: `pod ${pod.name} cannot start: ${last.reason}: ${last.message}`, failedAt: "staging" } : null;
}

/**
 * Why an attempt gets no node: none arrived in time, or the autoscaler reports that none will. The job is then placed again, here
 * or elsewhere.
 * @param says the events of a pod without a node
 */
export function noRoomOf(
	facts: AttemptFacts,
	says: readonly KubeEvent[],
	{ nowMs, patienceMs }: { nowMs: number; patienceMs: number },
): Pick<Verdict, "error" | "failedAt"> | null {
	const pod = unplacedPodOf(facts);
	if (!pod) return null;
	const scaling = newestOf(says.filter(isOfAutoscaler));
	if (scaling?.reason === "NotTriggerScaleUp" && GROWS_NO_MORE.test(scaling.message))
		return { error: `no node available for pod ${pod.name}: ${scaling.message}`, failedAt: "room" };
	if (nowMs - pod.createdAtMs < patienceMs) return null;
	const why = pod.conditions.find((c) => c.type === "PodScheduled" && c.status === "False")?.message;
	const waited = `no node available for pod ${pod.name} within ${Math.round(patienceMs / 1_000)} s`;
	return { error: why ? `${waited}: ${why}` : waited, failedAt: "room" };
}

/** Some plain pods of the gang were never created because their creator crashed. */
export function isIncomplete({ asJob, pods, meta, createdAtMs }: AttemptFacts, nowMs: number): boolean {
	return !asJob && pods.length < meta.nodes && nowMs - createdAtMs >= INCOMPLETE_AFTER_MS;
}
