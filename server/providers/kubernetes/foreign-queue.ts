import type { ForeignJob } from "#server/domain/foreign-job.ts";
import { KUEUE_MANAGES, sightOfJob, type TheirJob } from "./foreign-job.ts";
import { KUEUE } from "./kueue.ts";
import type { KubePod } from "./objects.ts";
import type { KubePool } from "./pools.ts";

interface Group {
	id: string;
	/** Its pods that have not ended, in the scheduler's order. */
	pods: readonly KubePod[];
	/** Its Job, if Jobs of its namespace may be adopted. */
	job: TheirJob | null;
}

/**
 * The cluster's own queue: pods of others that request GPUs, with the pods of one owner (a Job, a StatefulSet) as one job,
 * running ones first. Pending jobs are in the scheduler's order: by priority, then by age. Slots are assigned in order from those
 * in `taken` for each pool; Kubernetes chooses the real ones. A suspended Job has no pods, and appears if it is among `theirs`:
 * the Jobs of namespaces with adoption.
 */
export function foreignJobsOf(
	pods: readonly KubePod[],
	{
		pools,
		resources,
		taken,
		theirs,
	}: {
		pools: readonly KubePool[];
		resources: readonly string[];
		taken: ReadonlyMap<string, readonly number[]>;
		theirs: readonly TheirJob[];
	},
): ForeignJob[] {
	const asking = pods.filter((pod) => gpusOf(pod, resources) > 0);
	const byOwner = Map.groupBy(asking, (pod) => pod.owner?.uid || pod.uid);
	const open = theirs.filter((job) => gpusOf(job, resources) > 0 && sightOfJob(job, []).state !== "over");
	for (const { uid } of open) if (!byOwner.has(uid)) byOwner.set(uid, []);
	const groups = [...byOwner].map(
		([id, of]): Group => ({ id, pods: of.toSorted(inOrder), job: open.find(({ uid }) => uid === id) ?? null }),
	);
	const left = new Map([...taken].map(([poolId, slots]) => [poolId, [...slots]]));
	const running = groups.filter((group) => stateOf(group) === "running").sort((a, b) => byAge(headOf(a), headOf(b)));
	const waiting = groups.filter((group) => stateOf(group) !== "running").sort((a, b) => inOrder(headOf(a), headOf(b)));
	const all = [...running.map((group) => ({ group, position: null })), ...waiting.map((group, position) => ({ group, position }))];
	return all.flatMap(({ group, position }) => {
		const { id, pods: of, job } = group;
		const first = of[0] ?? job;
		if (!first) return [];
		const state = stateOf(group);
		const poolId = poolOf(of[0] ?? null, first, pools);
		const bound = of.filter((pod) => pod.node !== null).reduce((sum, pod) => sum + gpusOf(pod, resources), 0);
		const starts = of.map((pod) => pod.startedAtMs).filter((ms) => ms !== null);
		const unscheduled = of[0]?.conditions.find((c) => c.type === "PodScheduled" && c.status === "False");
		const waits =
			state === "held"
				? job?.suspended
					? "Suspended"
					: "SchedulingGated"
				: job?.suspended && of.length === 0
					? KUEUE_MANAGES
					: unscheduled?.reason || "Pending";
		return [
			{
				id,
				name: job?.name ?? of[0]?.owner?.name ?? first.name,
				// Kubernetes records no owner of a pod; the namespace identifies it.
				user: first.namespace,
				partition: first.namespace,
				poolId,
				state,
				waitingReason: state === "running" ? null : waits,
				nodes: job && state !== "running" ? job.parallelism : of.length,
				gpus:
					job && state !== "running" ? job.parallelism * gpusOf(job, resources) : of.reduce((sum, pod) => sum + gpusOf(pod, resources), 0),
				slots: poolId === null ? [] : (left.get(poolId)?.splice(0, bound) ?? []),
				position,
				submittedAtMs: job?.createdAtMs ?? first.createdAtMs,
				startedAtMs: state === "running" && starts.length > 0 ? Math.min(...starts) : null,
				timeLimitMs: job?.timeLimitMs ?? null,
				optIn: job?.manager === null ? job.optIn : null,
				holdMark: state === "held" ? (job?.holdMark ?? null) : null,
				array: null,
				groupId: null,
				dependsOn: null,
			} satisfies ForeignJob,
		];
	});
}

function stateOf({ pods, job }: Group): ForeignJob["state"] {
	if (job) {
		const { state } = sightOfJob(job, pods);
		// Kueue starts it on its own, so it counts as pending like any other.
		if (state === "held" && job.manager === KUEUE_MANAGES) return "waiting";
		if (state === "running" || state === "held") return state;
	} else if (pods.some((pod) => pod.node !== null)) return "running";
	return (pods[0]?.schedulingGates ?? []).some((gate) => !gate.startsWith(`${KUEUE}/`)) ? "held" : "waiting";
}

interface Placed {
	name: string;
	createdAtMs: number;
	priority?: number;
}

function headOf({ pods, job }: Group): Placed | undefined {
	return pods[0] ?? job ?? undefined;
}

function gpusOf({ asks }: { asks: KubePod["asks"] }, resources: readonly string[]): number {
	return resources.reduce((sum, resource) => sum + (asks.get(resource) ?? 0), 0);
}

function inOrder(a: Placed | undefined, b: Placed | undefined): number {
	return (b?.priority ?? 0) - (a?.priority ?? 0) || byAge(a, b);
}

function byAge(a: Placed | undefined, b: Placed | undefined): number {
	return (a?.createdAtMs ?? 0) - (b?.createdAtMs ?? 0) || ((a?.name ?? "") < (b?.name ?? "") ? -1 : 1);
}

/** Where it runs. If it is pending: the first pool with such GPUs, enough of them per node, on nodes that it selects. */
function poolOf(
	bound: KubePod | null,
	asked: { asks: KubePod["asks"]; nodeSelector: Record<string, string> },
	pools: readonly KubePool[],
): string | null {
	const node = bound?.node ?? null;
	if (node !== null) return pools.find((pool) => pool.nodes.some((n) => n.name === node))?.id ?? null;
	const fits = (pool: KubePool) =>
		(asked.asks.get(pool.resource) ?? 0) > 0 &&
		(asked.asks.get(pool.resource) ?? 0) <= pool.gpusPerNode &&
		Object.entries(asked.nodeSelector).every(([key, value]) => (pool.selector[key] ?? value) === value);
	return pools.find(fits)?.id ?? null;
}
