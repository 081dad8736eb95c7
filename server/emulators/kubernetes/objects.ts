import type { V1Job, V1Node, V1Pod } from "@kubernetes/client-node";

/** An object as in JSON: times are strings. */
export interface ApiObject {
	apiVersion: string;
	kind: string;
	metadata: {
		name: string;
		namespace?: string;
		uid: string;
		resourceVersion: string;
		creationTimestamp: string;
		deletionTimestamp?: string;
		deletionGracePeriodSeconds?: number;
		labels?: Record<string, string>;
		annotations?: Record<string, string>;
		finalizers?: string[];
		ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
		generateName?: string;
	};
}
type Part<T, K extends "spec" | "status"> = T extends { [P in K]?: infer S } ? NonNullable<S> : never;
export type PodObject = ApiObject & { spec: Part<V1Pod, "spec">; status: Part<V1Pod, "status"> };
export type JobObject = ApiObject & { spec: Part<V1Job, "spec">; status: Part<V1Job, "status"> };
export type NodeObject = ApiObject & { spec: Part<V1Node, "spec">; status: Part<V1Node, "status"> };

export interface ResourceType {
	/** As in paths: `pods`. */
	plural: string;
	kind: string;
	/** "" is the core group. */
	group: string;
	version: string;
	isNamespaced: boolean;
	hasStatus: boolean;
}

const core = { group: "", version: "v1" };
export const RESOURCE_TYPES: readonly ResourceType[] = [
	{ ...core, plural: "namespaces", kind: "Namespace", isNamespaced: false, hasStatus: true },
	{ ...core, plural: "nodes", kind: "Node", isNamespaced: false, hasStatus: true },
	{ ...core, plural: "pods", kind: "Pod", isNamespaced: true, hasStatus: true },
	{ ...core, plural: "services", kind: "Service", isNamespaced: true, hasStatus: true },
	{ ...core, plural: "secrets", kind: "Secret", isNamespaced: true, hasStatus: false },
	{ ...core, plural: "events", kind: "Event", isNamespaced: true, hasStatus: false },
	{ group: "batch", version: "v1", plural: "jobs", kind: "Job", isNamespaced: true, hasStatus: true },
	// Kueue's own controller is not emulated: a test writes what it would.
	{ group: "kueue.x-k8s.io", version: "v1beta1", plural: "workloads", kind: "Workload", isNamespaced: true, hasStatus: true },
	{ group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease", isNamespaced: true, hasStatus: false },
];
