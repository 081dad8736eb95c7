import type { KubernetesEmulator } from "#server/emulators/kubernetes/emulator.ts";
import type { ApiObject, JobObject } from "#server/emulators/kubernetes/objects.ts";
import { defined } from "#server/kernel/assert.ts";
import type { ClusterHarness } from "../contract/cluster-harness.ts";
import { THEIR_NAMESPACE } from "./emulated-kubernetes.ts";

export interface TheirJobOptions {
	gpus: number;
	runs: "long" | "briefly";
	optIn?: boolean;
	timeLimitSeconds?: number;
	labels?: Record<string, string>;
	/** Its pods have indices if there are several. */
	indexed?: boolean;
}

/** Nodes with four GPUs each. */
export function theirManifest(name: string, { gpus, runs, optIn, timeLimitSeconds, labels = {}, indexed }: TheirJobOptions) {
	const nodes = Math.ceil(gpus / 4);
	const container = {
		...{ name: "train", image: "busybox", command: runs === "long" ? ["sleep", "600"] : ["true", "for", "the", "thesis"] },
		resources: { limits: { "nvidia.com/gpu": String(gpus / nodes) } },
	};
	const spec = { restartPolicy: "Never", terminationGracePeriodSeconds: 1, containers: [container] };
	return {
		...{ apiVersion: "batch/v1", kind: "Job" },
		metadata: { name, namespace: THEIR_NAMESPACE, labels: { ...labels, ...(optIn ? { "spillway.dev/adopt": "true" } : {}) } },
		spec: {
			...{ parallelism: nodes, completions: nodes, backoffLimit: 0, suspend: false, template: { spec } },
			...(indexed ? { completionMode: "Indexed" } : {}),
			...(timeLimitSeconds ? { activeDeadlineSeconds: timeLimitSeconds } : {}),
		},
	};
}

/** Another user's jobs in the emulated cluster of nodes with four GPUs each. */
export function theirJobs(emulator: KubernetesEmulator) {
	let jobs = 0;
	const byId = (id: string): JobObject =>
		defined(
			emulator.store.list<JobObject>("jobs", THEIR_NAMESPACE).find(({ metadata }) => metadata.uid === id),
			`job ${id}`,
		);
	const submit = (job: TheirJobOptions): ApiObject => emulator.create("jobs", { ...theirManifest(`thesis-${++jobs}`, job), status: {} });
	return {
		byId,
		submitted: submit,
		user: THEIR_NAMESPACE,
		submit: async (job: TheirJobOptions) => submit(job).metadata.uid ?? "",
		hold: async (id: string) => emulator.suspend(byId(id).metadata.name, true, THEIR_NAMESPACE),
		cancel: async (id: string) => emulator.delete("jobs", byId(id).metadata.name, THEIR_NAMESPACE),
		scriptHolds: "thesis",
		unknownId: "00000000-0000-4000-8000-000000000000",
	} satisfies ClusterHarness["theirs"] & Record<string, unknown>;
}
