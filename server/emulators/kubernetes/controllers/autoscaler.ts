import type { Kubelet, NodeShape } from "../kubelet/kubelet.ts";
import type { NodeObject, PodObject } from "../objects.ts";
import type { Store } from "../store.ts";
import { recordEvent } from "./record-event.ts";
import { resourceRequestsOf } from "./scheduler.ts";

/** Equal nodes that are added when a pod needs one, and removed when nothing runs on them. */
export interface EmulatedNodeGroup {
	name: string;
	shape: Omit<NodeShape, "name">;
	maxNodes: number;
	/** Delay until an added node joins. */
	joinMs: number;
	/** How long a node must be idle before it is removed. */
	idleMs: number;
	/** The cloud has no capacity: nodes are requested and never join. */
	isDry?: boolean;
}

/** Behaves like cluster-autoscaler, with its events: one group, and one node for each pod that fits on no node. */
export class Autoscaler {
	readonly #store: Store;
	readonly #group: EmulatedNodeGroup;
	readonly #kubelet: () => Kubelet | null;
	/** By name, including those that were requested and have not joined yet. */
	readonly #nodes = new Set<string>();
	readonly #askedFor = new Set<string>();
	readonly #timers = new Set<NodeJS.Timeout>();
	#made = 0;

	constructor(store: Store, group: EmulatedNodeGroup, kubelet: () => Kubelet | null) {
		this.#store = store;
		this.#group = group;
		this.#kubelet = kubelet;
	}

	look(): void {
		const pods = this.#store.list<PodObject>("pods", null);
		for (const pod of pods) if (this.#asks(pod)) this.#add(pod);
		const busy = new Set(pods.filter((p) => p.status.phase !== "Succeeded" && p.status.phase !== "Failed").map((p) => p.spec.nodeName));
		for (const node of this.#store.list<NodeObject>("nodes", null)) {
			const { name } = node.metadata;
			if (this.#nodes.has(name) && !busy.has(name)) this.#later(this.#group.idleMs, () => this.#removeIdle(name));
		}
	}

	close(): void {
		for (const timer of this.#timers) clearTimeout(timer);
	}

	#asks(pod: PodObject): boolean {
		const { metadata, spec, status } = pod;
		if (spec.nodeName || metadata.deletionTimestamp || status.phase !== "Pending" || this.#askedFor.has(metadata.uid)) return false;
		if (!status.conditions?.some((c) => c.type === "PodScheduled" && c.reason === "Unschedulable")) return false;
		const { labels = {}, gpus, resource = "nvidia.com/gpu" } = this.#group.shape;
		if (Object.entries(spec.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return false;
		return (resourceRequestsOf(pod).get(resource) ?? 0) <= gpus;
	}

	#add(pod: PodObject): void {
		const { name, maxNodes, joinMs, shape, isDry = false } = this.#group;
		const there = this.#nodes.size;
		if (there >= maxNodes) {
			const message = "pod didn't trigger scale-up: 1 max node group size reached";
			recordEvent(this.#store, pod, { type: "Normal", reason: "NotTriggerScaleUp", message });
			return;
		}
		this.#askedFor.add(pod.metadata.uid);
		this.#made += 1;
		const node = `${name}-${this.#made}`;
		this.#nodes.add(node);
		const message = `pod triggered scale-up: [{${name} ${there}->${there + 1} (max: ${maxNodes})}]`;
		recordEvent(this.#store, pod, { type: "Normal", reason: "TriggeredScaleUp", message });
		if (!isDry) this.#later(joinMs, () => void this.#kubelet()?.join({ name: node, ...shape }));
	}

	#removeIdle(name: string): void {
		const unfinished = this.#store
			.list<PodObject>("pods", null)
			.filter((p) => p.status.phase !== "Succeeded" && p.status.phase !== "Failed");
		// As the real one, which keeps a node that was added for a pending pod until the pod is bound.
		const isExpected = unfinished.some((p) => !p.spec.nodeName && !p.metadata.deletionTimestamp && this.#askedFor.has(p.metadata.uid));
		if (isExpected) return;
		const isBusy = unfinished.some((p) => p.spec.nodeName === name);
		if (!isBusy && this.#nodes.delete(name)) void this.#kubelet()?.leave(name);
	}

	#later(ms: number, run: () => void): void {
		const timer = setTimeout(() => {
			this.#timers.delete(timer);
			run();
		}, ms);
		this.#timers.add(timer);
	}
}
