import { z } from "zod";
import { systemClock } from "#server/kernel/clock.ts";
import { Connection } from "../kubernetes/connection.ts";
import type { ParsedKubernetesSettings } from "../kubernetes/settings.ts";
import { type TheirJobOptions, theirManifest } from "./their-jobs.ts";

const MERGE = "application/merge-patch+json";
const TIMEOUT_MS = 60_000;
const madeSchema = z.object({ metadata: z.object({ uid: z.string() }) });
const conditions = z.array(z.object({ type: z.string(), status: z.string(), reason: z.string().optional() })).optional();
const jobSchema = z.object({
	metadata: z.object({ uid: z.string(), annotations: z.record(z.string(), z.string()).optional() }),
	spec: z.object({ suspend: z.boolean().optional() }),
	status: z.object({ conditions, succeeded: z.number().optional(), failed: z.number().optional() }),
});
const podsSchema = z.object({
	items: z.array(
		z.object({
			metadata: z.object({ name: z.string(), ownerReferences: z.array(z.object({ uid: z.string() })).optional() }),
			spec: z.object({ nodeName: z.string().optional() }),
			status: z.object({ phase: z.string().optional() }),
		}),
	),
});
let made = 0;

/** Jobs of someone else in an existing cluster, created with that person's own credentials. `end` deletes them. */
export function theirRealJobs(access: ParsedKubernetesSettings["access"], namespace: string) {
	const connection = new Connection(access, systemClock);
	const names = new Map<string, string>();
	/** null: the requested object does not exist. */
	const ask = async (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<unknown> => {
		const signal = AbortSignal.timeout(TIMEOUT_MS);
		const sent = await connection.send({ method, path, what: path, body, signal, ...(method === "PATCH" ? { contentType: MERGE } : {}) });
		const text = await sent.text();
		if (sent.status === 404 && method !== "POST") return null;
		if (sent.status >= 400) throw new Error(`${method} ${path}: ${text}`);
		return JSON.parse(text);
	};
	const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
	const pathOf = (id: string) => `${jobs}/${names.get(id) ?? id}`;
	const suspend = (id: string, isSuspended: boolean) => ask("PATCH", pathOf(id), { spec: { suspend: isSuspended } });
	const remove = (id: string) => ask("DELETE", pathOf(id), { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" });
	const theirs = {
		user: namespace,
		async submit(job: TheirJobOptions): Promise<string> {
			const name = `thesis-${process.pid}-${Date.now()}-${made++}`;
			const manifest = theirManifest(name, job);
			const { metadata } = madeSchema.parse(await ask("POST", jobs, { ...manifest, metadata: { ...manifest.metadata, namespace } }));
			names.set(metadata.uid, name);
			return metadata.uid;
		},
		hold: async (id: string) => void (await suspend(id, true)),
		resume: async (id: string) => void (await suspend(id, false)),
		cancel: async (id: string) => void (await remove(id)),
		/** null if it was deleted. */
		async job(id: string) {
			return jobSchema.nullable().parse(await ask("GET", pathOf(id)));
		},
		/** Its existing pods. */
		async pods(id: string) {
			const { items } = podsSchema.parse(await ask("GET", `/api/v1/namespaces/${namespace}/pods`));
			return items.filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === id));
		},
		scriptHolds: "thesis",
		unknownId: "00000000-0000-4000-8000-000000000000",
	};
	return { theirs, end: async () => void (await Promise.all([...names.keys()].map(remove))) };
}
export type TheirRealJobs = ReturnType<typeof theirRealJobs>["theirs"];
