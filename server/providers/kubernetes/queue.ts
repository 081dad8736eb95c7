import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { z } from "zod";
import type { ForeignOutcome } from "#server/domain/foreign-job.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DriverError } from "../driver-errors.ts";
import type { ForeignQueue, ForeignScript, ForeignSight } from "../foreign-queue.ts";
import type { KubeCalls } from "./client.ts";
import { isCode } from "./errors.ts";
import { type RanElsewhere, sightOfJob, type TheirJob, theirJobSchema } from "./foreign-job.ts";
import { ANNOTATIONS } from "./names.ts";
import { type KubePod, podSchema } from "./objects.ts";
import { Reflector } from "./reflector.ts";
import type { ServerFeatures } from "./server-features.ts";

interface KubernetesQueueOptions {
	calls: KubeCalls;
	clock: Clock;
	/** Namespaces from which jobs may be adopted. */
	namespaces: readonly string[];
	features(): Promise<ServerFeatures>;
	/** Called when one of their jobs has changed. */
	onChange(): void;
}

/** The first version in which Jobs can be suspended by default. */
const SUSPENDS_SINCE = "1.22";
const CONFLICTS_MAX = 5;
const REFUSALS_MAX = 6;
const REFUSED_AGAIN_MS = 400;
/** The complete Job, for its owner and for the import. */
const wholeSchema = z.looseObject({
	metadata: z.looseObject({ name: z.string(), namespace: z.string(), labels: z.record(z.string(), z.string()).nullish() }),
	spec: z.looseObject({}),
});

/**
 * Jobs of others on a Kubernetes cluster. A hold is the Job's own `suspend`, with the mark in an annotation. The Job controller
 * then deletes its pending pods, and creates new ones when it is released. Jobs that Kueue or another controller starts are left
 * to that controller.
 */
export class KubernetesQueue implements ForeignQueue {
	/** No files: the pods' logs belong to the cluster. */
	readonly writeOutput = null;
	readonly bringCheckpoint = null;
	readonly #options: KubernetesQueueOptions;
	readonly #watched: Reflector<typeof theirJobSchema, TheirJob>[];

	constructor(options: KubernetesQueueOptions) {
		this.#options = options;
		this.#watched = options.namespaces.map(
			(namespace) =>
				new Reflector(options.calls, {
					path: pathOf(namespace),
					schema: theirJobSchema,
					key: ({ name }) => name,
					onChange: () => options.onChange(),
				}),
		);
	}

	/** Every Job there, ended or not. */
	async jobs(): Promise<TheirJob[]> {
		return (await Promise.all(this.#watched.map(async (one) => [...(await one.items())]))).flat();
	}

	/** @throws DriverError with what prevents adoption */
	async check(): Promise<void> {
		await this.jobs();
		await this.#demandSuspend();
	}

	close(): void {
		for (const one of this.#watched) one.close();
	}

	async look(id: string): Promise<ForeignSight> {
		const { job, pods } = await this.#find(id);
		return sightOfJob(job, pods);
	}

	async readScript(id: string): Promise<ForeignScript> {
		const { job } = await this.#find(id);
		if (job === null) throw new DriverError("not_found", `Kubernetes: there is no job ${id} in ${this.#options.namespaces.join(", ")}`);
		const [whole] = (await this.#options.calls.list(pathOf(job.namespace), wholeSchema, named(job.name))).items;
		if (!whole) throw new DriverError("not_found", `Kubernetes: the job ${job.namespace}/${job.name} was deleted`);
		const { name, namespace, labels } = whole.metadata;
		const text = stringify({
			apiVersion: "batch/v1",
			kind: "Job",
			metadata: { name, namespace, ...(labels ? { labels } : {}) },
			spec: whole.spec,
		});
		const obstacles = job.manager === null ? [] : [`${job.manager} controls when it starts, so it is not adopted.`];
		return { kind: "kubernetes", text, obstacles };
	}

	hold(id: string, mark: string): Promise<ForeignSight> {
		return this.#change(id, async (job, { state }) => {
			if (state !== "waiting" || job.manager !== null) return null;
			await this.#demandSuspend();
			return { metadata: { annotations: { [ANNOTATIONS.hold]: mark } }, spec: { suspend: true } };
		});
	}

	release(id: string, mark: string): Promise<ForeignSight> {
		return this.#change(id, async (job, { state }) => {
			if (state === "over" || job.holdMark !== mark) return null;
			return { metadata: { annotations: { [ANNOTATIONS.hold]: null } }, spec: { suspend: false } };
		});
	}

	/**
	 * The Job stays suspended, with the outcome in an annotation, and gets the condition that its own end would have set, so that
	 * dependants continue. If the server rejects the condition, the Job stays suspended.
	 */
	async finish(id: string, outcome: ForeignOutcome): Promise<ForeignSight> {
		const { job, pods } = await this.#find(id);
		const before = sightOfJob(job, pods);
		if (job === null || (before.state === "over" && !lacksItsCondition(job))) return before;
		// Keeps what a scheduler that died had already written.
		if (before.state === "over") return this.#writeEnd(id);
		const ran: RanElsewhere = { ...outcome, atMs: this.#options.clock.nowMs() };
		const annotations = { [ANNOTATIONS.ranElsewhere]: JSON.stringify(ran), [ANNOTATIONS.hold]: null };
		await this.#options.calls.patchTheirJob(job, { metadata: { annotations }, spec: { suspend: true } }, null);
		return this.#writeEnd(id);
	}

	/** Servers from 1.31 on reject it until the Job controller has recorded that there are no pods any more. */
	async #writeEnd(id: string): Promise<ForeignSight> {
		for (let tries = 0; tries < REFUSALS_MAX; tries++) {
			if (tries > 0) await sleep(REFUSED_AGAIN_MS);
			const { job } = await this.#find(id);
			if (job === null || !lacksItsCondition(job)) break;
			try {
				await this.#options.calls.patchTheirJob(job, { status: endedStatus(job, job.ranElsewhere) }, "status");
				break;
			} catch (error) {
				if (!(error instanceof DriverError) || (error.kind !== "invalid_request" && error.kind !== "unauthorized")) throw error;
				if (error.kind === "unauthorized") break;
			}
		}
		return this.look(id);
	}

	async #demandSuspend(): Promise<void> {
		if ((await this.#options.features()).suspend) return;
		const why = `this server cannot suspend Jobs (requires ${SUSPENDS_SINCE} or newer), so none can be held`;
		throw new DriverError("invalid_request", `Kubernetes: ${why}; remove "adoptFrom" from the site's settings`);
	}

	/**
	 * Changes a Job as last seen. The server rejects the patch if anything has changed since, and the Job is then read again. A Job
	 * that keeps changing is left to the next call.
	 */
	async #change(
		id: string,
		patchOf: (job: TheirJob, sight: ForeignSight) => Promise<{ metadata: Record<string, unknown>; spec: Record<string, unknown> } | null>,
	): Promise<ForeignSight> {
		for (let tries = 0; tries < CONFLICTS_MAX; tries++) {
			const { job, pods } = await this.#find(id);
			const sight = sightOfJob(job, pods);
			const patch = job && (await patchOf(job, sight));
			if (!job || !patch) return sight;
			try {
				const metadata = { ...patch.metadata, resourceVersion: job.resourceVersion };
				await this.#options.calls.patchTheirJob(job, { ...patch, metadata }, null);
				break;
			} catch (error) {
				if (!isCode(error, "Conflict")) throw error;
			}
		}
		return this.look(id);
	}

	/** Reads the current version from the server. */
	async #find(id: string): Promise<{ job: TheirJob | null; pods: KubePod[] }> {
		const { calls, namespaces } = this.#options;
		const known = (await this.jobs()).find(({ uid }) => uid === id);
		const asked = known
			? [calls.list(pathOf(known.namespace), theirJobSchema, named(known.name))]
			: namespaces.map((namespace) => calls.list(pathOf(namespace), theirJobSchema));
		const job = (await Promise.all(asked)).flatMap(({ items }) => items).find(({ uid }) => uid === id) ?? null;
		if (job === null) return { job, pods: [] };
		const pods = await calls.list(`/api/v1/namespaces/${job.namespace}/pods`, podSchema, { labelSelector: `job-name=${job.name}` });
		return { job, pods: pods.items.filter(({ owner }) => owner?.uid === id) };
	}
}

const pathOf = (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs`;
const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });

/** It ran in the cloud, and its status does not show yet that it has ended. */
function lacksItsCondition(job: TheirJob): job is TheirJob & { ranElsewhere: RanElsewhere } {
	const isOver = job.conditions.some(({ type, status }) => ["Complete", "Failed"].includes(type) && status === "True");
	return job.ranElsewhere !== null && job.suspended && !isOver;
}

/**
 * The conditions that a Job controller writes at its end, with our reason. Current servers require the announcing condition too.
 */
function endedStatus(job: TheirJob, { outcome, comment, atMs }: RanElsewhere): Record<string, unknown> {
	// Not before its start, which is by the server's clock.
	const at = new Date(Math.max(atMs, job.startedAtMs ?? 0)).toISOString().replace(/\.\d+Z$/, "Z");
	const types = outcome === "succeeded" ? ["SuccessCriteriaMet", "Complete"] : ["FailureTarget", "Failed"];
	const reason = outcome === "cancelled" ? "CancelledElsewhere" : "RanElsewhere";
	const ours = types.map((type) => ({ type, status: "True", reason, message: comment, lastProbeTime: at, lastTransitionTime: at }));
	const theirs = job.conditions
		.filter(({ type }) => !types.includes(type))
		.map(({ lastTransitionTime, ...condition }) => ({
			...condition,
			...(lastTransitionTime === null ? {} : { lastTransitionTime: new Date(lastTransitionTime).toISOString() }),
		}));
	return {
		conditions: [...theirs, ...ours],
		...(job.startedAtMs === null ? { startTime: at } : {}),
		...(outcome === "succeeded" ? { completionTime: at } : {}),
	};
}
