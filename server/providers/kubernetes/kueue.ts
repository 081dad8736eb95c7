import { z } from "zod";
import type { Clock } from "#server/kernel/clock.ts";
import { DriverError } from "../driver-errors.ts";
import type { KubeCalls } from "./client.ts";
import { conditionsSchema, type KubeEvent, metadataSchema } from "./objects.ts";

export const KUEUE = "kueue.x-k8s.io";
/** Fields of the Workload that Kueue creates for a Job. */
const JOB_UID = `${KUEUE}/job-uid`;
const ASK_EVERY_MS = 2_000;
/** Kueue's event reason for an eviction, a prefix of the cause: "EvictedDueToPreempted". Source: Kueue 0.13.1. */
const EVICTED = "EvictedDueTo";

const workloadSchema = z.object({
	metadata: metadataSchema,
	status: z.object({ conditions: conditionsSchema }).nullish(),
});

/**
 * Why Kueue queues or evicted a Job: the conditions of its Workload, logged like the cluster's warnings. Without Kueue, or without
 * the right to read it, nothing is logged.
 */
export class KueueWorkloads {
	readonly #calls: KubeCalls;
	readonly #clock: Clock;
	readonly #namespace: string;
	readonly #told = new Map<string, { atMs: number; sayings: KubeEvent[] }>();
	#version: Promise<string | null> | null = null;

	constructor(calls: KubeCalls, clock: Clock, namespace: string) {
		this.#calls = calls;
		this.#clock = clock;
		this.#namespace = namespace;
	}

	/** @throws DriverError if the server does not respond */
	async about(job: { uid: string; name: string }, { hasPods }: { hasPods: boolean }): Promise<KubeEvent[]> {
		const nowMs = this.#clock.nowMs();
		const known = this.#told.get(job.uid);
		// A Workload with pods was just evicted, and may not be readable again.
		if (known && !hasPods && nowMs - known.atMs < ASK_EVERY_MS) return known.sayings;
		const sayings = await this.#ask(job, hasPods, known?.sayings ?? [], nowMs);
		this.#told.set(job.uid, { atMs: nowMs, sayings });
		return sayings;
	}

	forget({ uid }: { uid: string }): void {
		this.#told.delete(uid);
	}

	/**
	 * Why it was evicted, from its events. The condition is lost as soon as Kueue admits it again, or recreates the Workload because
	 * the Job has changed, as when we stop the Job from creating pods.
	 */
	async #evictionsOf(workload: string): Promise<KubeEvent[]> {
		return (await this.#calls.events("Workload", workload)).filter(({ reason }) => reason.startsWith(EVICTED));
	}

	async #ask(
		{ uid, name }: { uid: string; name: string },
		hasPods: boolean,
		before: readonly KubeEvent[],
		nowMs: number,
	): Promise<KubeEvent[]> {
		this.#version ??= this.#calls.groupVersion(KUEUE).catch((error: unknown) => {
			this.#version = null;
			throw error;
		});
		const version = await this.#version;
		if (version === null) return [];
		try {
			const path = `/apis/${KUEUE}/${version}/namespaces/${this.#namespace}/workloads`;
			const { items } = await this.#calls.list(path, workloadSchema, { labelSelector: `${JOB_UID}=${uid}` });
			const said = (reason: string, message: string, atMs: number): KubeEvent => {
				return { about: { kind: "Job", name, uid }, warning: true, reason: `Kueue ${reason}`, message, atMs };
			};
			const evictions = hasPods ? (await Promise.all(items.map((w) => this.#evictionsOf(w.metadata.name)))).flat() : [];
			const states = items
				.flatMap(({ status }) => status?.conditions ?? [])
				.flatMap((condition) => {
					// "Pending" and "Inadmissible" until there is quota; "Preempted", "Deactivated" and others after an eviction.
					const waits = condition.type === "QuotaReserved" && condition.status === "False";
					const evicted = condition.type === "Evicted" && condition.status === "True" && evictions.length === 0;
					if (!waits && !evicted) return [];
					const { reason, message, lastTransitionTime } = condition;
					const was = before.find((b) => b.reason === `Kueue ${reason}`);
					// Its message changes while the condition, and therefore its time, stay the same.
					return [said(reason, message, was ? (was.message === message ? was.atMs : nowMs) : (lastTransitionTime ?? nowMs))];
				});
			return [...evictions.map((e) => said(e.reason.slice(EVICTED.length), e.message, e.atMs)), ...states];
		} catch (error) {
			if (error instanceof DriverError && (error.kind === "unauthorized" || error.kind === "not_found")) return [];
			throw error;
		}
	}
}
