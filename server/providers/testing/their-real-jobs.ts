import { z } from "zod";
import { systemClock } from "#server/kernel/clock.ts";
import type { ClusterHarness } from "../contract/cluster-harness.ts";
import { Connection } from "../kubernetes/connection.ts";
import type { ParsedKubernetesSettings } from "../kubernetes/settings.ts";
import { type TheirJobOptions, theirManifest } from "./their-jobs.ts";

const MERGE = "application/merge-patch+json";
const TIMEOUT_MS = 20_000;
const madeSchema = z.object({ metadata: z.object({ uid: z.string() }) });

/** Jobs of somebody else in a cluster that is there already, made with that person's own access. `end` deletes them. */
export function theirRealJobs(access: ParsedKubernetesSettings["access"], namespace: string) {
	const connection = new Connection(access, systemClock);
	const names = new Map<string, string>();
	const ask = async (method: "POST" | "PATCH" | "DELETE", name: string | null, body: unknown): Promise<unknown> => {
		const path = `/apis/batch/v1/namespaces/${namespace}/jobs${name === null ? "" : `/${name}`}`;
		const signal = AbortSignal.timeout(TIMEOUT_MS);
		const sent = await connection.send({ method, path, what: path, body, signal, ...(method === "PATCH" ? { contentType: MERGE } : {}) });
		const text = await sent.text();
		if (sent.status >= 400 && sent.status !== 404) throw new Error(`${method} ${path}: ${text}`);
		return JSON.parse(text);
	};
	const remove = (name: string) => ask("DELETE", name, { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" });
	const theirs: NonNullable<ClusterHarness["theirs"]> = {
		user: namespace,
		async submit(job: TheirJobOptions) {
			const name = `thesis-${process.pid}-${Date.now()}-${names.size}`;
			const manifest = theirManifest(name, job);
			const made = madeSchema.parse(await ask("POST", null, { ...manifest, metadata: { ...manifest.metadata, namespace } }));
			names.set(made.metadata.uid, name);
			return made.metadata.uid;
		},
		hold: async (id) => void (await ask("PATCH", names.get(id) ?? "", { spec: { suspend: true } })),
		cancel: async (id) => void (await remove(names.get(id) ?? "")),
		scriptHolds: "thesis",
		unknownId: "00000000-0000-4000-8000-000000000000",
	};
	return { theirs, end: async () => void (await Promise.all([...names.values()].map(remove))) };
}
