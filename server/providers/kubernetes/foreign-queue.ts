import type { ForeignJob } from "#server/domain/foreign-job.ts";
import type { KubePod } from "./objects.ts";
import type { KubePool } from "./pools.ts";

/**
 * The cluster's own queue: pods of others that ask for GPUs, those of one owner (a Job, a StatefulSet) as one job, the running
 * ones first. Those that wait are in the scheduler's order: by priority, then by age. Slots are given of those that `taken`
 * names for each pool, in order: Kubernetes chooses the real ones. A suspended Job has no pods and is not seen.
 */
export function foreignJobsOf(
	pods: readonly KubePod[],
	{ pools, resources, taken }: { pools: readonly KubePool[]; resources: readonly string[]; taken: ReadonlyMap<string, readonly number[]> },
): ForeignJob[] {
	const asking = pods.filter((pod) => gpusOf(pod, resources) > 0);
	const groups = [...Map.groupBy(asking, (pod) => pod.owner?.uid || pod.uid).entries()].map(([id, of]) => ({
		id,
		of: of.toSorted(inOrder),
	}));
	const left = new Map([...taken].map(([poolId, slots]) => [poolId, [...slots]]));
	const running = groups.filter(({ of }) => of.some((pod) => pod.node !== null)).sort((a, b) => byAge(a.of[0], b.of[0]));
	const waiting = groups.filter(({ of }) => of.every((pod) => pod.node === null)).sort((a, b) => inOrder(a.of[0], b.of[0]));
	const all = [...running.map((group) => ({ ...group, position: null })), ...waiting.map((group, position) => ({ ...group, position }))];
	return all.flatMap(({ id, of, position }) => {
		const [first] = of;
		if (!first) return [];
		const gpus = of.reduce((sum, pod) => sum + gpusOf(pod, resources), 0);
		const poolId = poolOf(first, pools);
		const bound = of.filter((pod) => pod.node !== null).reduce((sum, pod) => sum + gpusOf(pod, resources), 0);
		const starts = of.map((pod) => pod.startedAtMs).filter((ms) => ms !== null);
		const held = position !== null && first.schedulingGates.length > 0;
		const unscheduled = first.conditions.find((c) => c.type === "PodScheduled" && c.status === "False");
		return [
			{
				id,
				name: first.owner?.name ?? first.name,
				// Kubernetes keeps no owner of a pod; a namespace is whose it is.
				user: first.namespace,
				partition: first.namespace,
				poolId,
				state: position === null ? "running" : held ? "held" : "waiting",
				waitingReason: position === null ? null : held ? "SchedulingGated" : unscheduled?.reason || "Pending",
				nodes: of.length,
				gpus,
				slots: poolId === null ? [] : (left.get(poolId)?.splice(0, bound) ?? []),
				position,
				submittedAtMs: first.createdAtMs,
				startedAtMs: position === null && starts.length > 0 ? Math.min(...starts) : null,
				timeLimitMs: null,
				// Nothing here can be held yet, so nothing may be taken.
				optIn: null,
				holdMark: null,
				array: null,
				groupId: null,
				dependsOn: null,
			} satisfies ForeignJob,
		];
	});
}

function gpusOf({ asks }: KubePod, resources: readonly string[]): number {
	return resources.reduce((sum, resource) => sum + (asks.get(resource) ?? 0), 0);
}

function inOrder(a: KubePod | undefined, b: KubePod | undefined): number {
	return (b?.priority ?? 0) - (a?.priority ?? 0) || byAge(a, b);
}

function byAge(a: KubePod | undefined, b: KubePod | undefined): number {
	return (a?.createdAtMs ?? 0) - (b?.createdAtMs ?? 0) || ((a?.name ?? "") < (b?.name ?? "") ? -1 : 1);
}

/** Where it runs; where it waits, the first pool that has such GPUs, enough of them on a node, on nodes that it asks for. */
function poolOf(pod: KubePod, pools: readonly KubePool[]): string | null {
	if (pod.node !== null) return pools.find((pool) => pool.nodes.some((n) => n.name === pod.node))?.id ?? null;
	const fits = (pool: KubePool) =>
		(pod.asks.get(pool.resource) ?? 0) > 0 &&
		(pod.asks.get(pool.resource) ?? 0) <= pool.gpusPerNode &&
		Object.entries(pod.nodeSelector).every(([key, value]) => (pool.selector[key] ?? value) === value);
	return pools.find(fits)?.id ?? null;
}
