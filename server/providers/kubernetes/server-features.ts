import { z } from "zod";
import { DriverError } from "../driver-errors.ts";
import type { KubeCalls } from "./client.ts";
import { KUEUE } from "./kueue.ts";
import type { ParsedKubernetesSettings } from "./settings.ts";

/** Features of Jobs on this server. */
export interface ServerFeatures {
	indexed: boolean;
	suspend: boolean;
	/** A deleted pod is not replaced before it has ended; without retries that means never. */
	podReplacement: boolean;
}

const keptSchema = z.object({
	spec: z.object({
		completionMode: z.string().nullish(),
		suspend: z.boolean().nullish(),
		podReplacementPolicy: z.string().nullish(),
	}),
});

/**
 * Determined by a dry run: the server receives a Job with every field and returns those that it would keep. It drops fields that
 * it does not know.
 */
export async function findFeatures(calls: KubeCalls, settings: ParsedKubernetesSettings): Promise<ServerFeatures> {
	const template = {
		spec: { restartPolicy: "Never", containers: [{ name: "probe", image: settings.image ?? "probe", command: ["true"] }] },
	};
	const spec = {
		completionMode: "Indexed",
		completions: 1,
		parallelism: 1,
		backoffLimit: 0,
		suspend: true,
		podReplacementPolicy: "Failed",
	};
	const answer = await calls.tryJob({
		apiVersion: "batch/v1",
		kind: "Job",
		metadata: { name: "spillway-probe" },
		spec: { ...spec, template },
	});
	const kept = keptSchema.parse(answer).spec;
	const features = {
		indexed: kept.completionMode === "Indexed",
		suspend: kept.suspend === true,
		podReplacement: kept.podReplacementPolicy === "Failed",
	};
	if (settings.queue !== undefined) await checkQueue(calls, settings.queue, features);
	return features;
}

/** A Job that nothing starts would wait forever. */
async function checkQueue(calls: KubeCalls, queue: string, { suspend, podReplacement }: ServerFeatures): Promise<void> {
	const refuse = (why: string) => {
		throw new DriverError(
			"invalid_request",
			`Kubernetes: the site uses the Kueue queue ${queue}, but ${why}; remove "queue" from its settings`,
		);
	};
	if ((await calls.groupVersion(KUEUE)) === null) refuse("this cluster has no Kueue");
	if (!suspend || !podReplacement) refuse("this server cannot suspend Jobs or replace deleted pods (requires 1.29 or newer)");
}
