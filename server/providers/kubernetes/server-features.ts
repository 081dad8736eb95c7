import { z } from "zod";
import { DriverError } from "../driver-errors.ts";
import type { KubeCalls } from "./client.ts";
import { KUEUE } from "./kueue.ts";
import type { ParsedKubernetesSettings } from "./settings.ts";

/** What this server's Jobs can do. */
export interface ServerFeatures {
	indexed: boolean;
	suspend: boolean;
	/** A pod that is deleted is not replaced before it is over; with no retries that means never. */
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
 * Asked of the server itself: it is shown a Job with everything (and makes none: a dry run), and answers what of it it
 * would keep. A server that does not know a field leaves it out.
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

/** A Job that no one lets begin would wait forever. */
async function checkQueue(calls: KubeCalls, queue: string, { suspend, podReplacement }: ServerFeatures): Promise<void> {
	const refuse = (why: string) => {
		throw new DriverError("invalid_request", `Kubernetes: the site names Kueue's queue ${queue}, and ${why}; leave "queue" out`);
	};
	if ((await calls.groupVersion(KUEUE)) === null) refuse("this cluster has no Kueue");
	if (!suspend || !podReplacement) refuse("this server's Jobs cannot be suspended, or replace deleted pods (both are there from 1.29 on)");
}
