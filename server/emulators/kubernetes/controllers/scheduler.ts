import type { NodeObject, PodObject } from "../objects.ts";
import type { Store } from "../store.ts";
import { recordEvent } from "./record-event.ts";

/** Binds pods, in order of creation, to nodes that are suitable and have the requested resources, or reports why it cannot. */
export function schedule(store: Store): void {
	const waiting = store
		.list<PodObject>("pods", null)
		.filter((p) => !p.spec.nodeName && !p.metadata.deletionTimestamp && p.status.phase === "Pending" && !p.spec.schedulingGates?.length)
		.sort(
			(a, b) => (b.spec.priority ?? 0) - (a.spec.priority ?? 0) || (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1),
		);
	if (waiting.length === 0) return;
	const nodes = store.list<NodeObject>("nodes", null);
	const used = new Map(nodes.map((n) => [n.metadata.name, usedOn(store, n.metadata.name)]));
	for (const pod of waiting) {
		const wants = resourceRequestsOf(pod);
		const fit = nodes.filter((n) => whyUnfit(pod, n) === null);
		const roomy = fit.find((n) =>
			[...wants].every(([r, c]) => Number(n.status.allocatable?.[r] ?? 0) - (used.get(n.metadata.name)?.get(r) ?? 0) >= c),
		);
		const at = new Date().toISOString();
		if (!roomy) {
			const message = `0/${nodes.length} nodes are available: ${fit.length} Insufficient ${[...wants.keys()].join(", ") || "cpu"}.`;
			const known = pod.status.conditions?.find((c) => c.type === "PodScheduled");
			if (known?.message === message) continue;
			const condition = {
				type: "PodScheduled",
				status: "False",
				reason: "Unschedulable",
				message,
				lastTransitionTime: at as unknown as Date,
			};
			store.update("pods", { ...pod, status: { ...pod.status, conditions: [condition] } } as PodObject);
			recordEvent(store, pod, { type: "Warning", reason: "FailedScheduling", message });
			continue;
		}
		const here = used.get(roomy.metadata.name);
		for (const [resource, count] of wants) here?.set(resource, (here.get(resource) ?? 0) + count);
		const condition = { type: "PodScheduled", status: "True", lastTransitionTime: at as unknown as Date };
		const bound = { ...pod, spec: { ...pod.spec, nodeName: roomy.metadata.name }, status: { ...pod.status, conditions: [condition] } };
		store.update("pods", bound as PodObject);
	}
}

function usedOn(store: Store, node: string): Map<string, number> {
	const used = new Map<string, number>();
	for (const pod of store.list<PodObject>("pods", null)) {
		if (pod.spec.nodeName !== node || pod.status.phase === "Succeeded" || pod.status.phase === "Failed") continue;
		for (const [resource, count] of resourceRequestsOf(pod)) used.set(resource, (used.get(resource) ?? 0) + count);
	}
	return used;
}

export function resourceRequestsOf({ spec }: PodObject): Map<string, number> {
	const asks = new Map<string, number>();
	for (const { resources } of spec.containers)
		for (const [resource, count] of Object.entries(resources?.limits ?? {}))
			if (resource.includes("/")) asks.set(resource, (asks.get(resource) ?? 0) + Number(count));
	return asks;
}

function whyUnfit({ spec }: PodObject, node: NodeObject): string | null {
	if (node.spec.unschedulable) return "cordoned";
	if (!node.status.conditions?.some((c) => c.type === "Ready" && c.status === "True")) return "not ready";
	const labels = node.metadata.labels ?? {};
	if (Object.entries(spec.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return "another product";
	const taint = node.spec.taints?.find(
		(t) =>
			t.effect !== "PreferNoSchedule" &&
			!spec.tolerations?.some((o) => o.key === t.key && (o.operator === "Exists" || o.value === t.value)),
	);
	return taint ? `taint ${taint.key}` : null;
}
