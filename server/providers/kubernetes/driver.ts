import { setTimeout as sleep } from "node:timers/promises";
import { listOutput, type OutputFiles } from "#server/agent/output-files.ts";
import type { ClusterWait } from "#server/domain/cluster-wait.ts";
import type { ForeignJob } from "#server/domain/foreign-job.ts";
import type { DeliveredSecrets } from "#server/domain/job-secret.ts";
import { type Clock, systemClock } from "#server/kernel/clock.ts";
import type { AttemptObservation, ClusterDriver, ClusterObservation, LogCursor, LogLine, StartAttempt } from "../driver.ts";
import { createdNothing, DriverError } from "../driver-errors.ts";
import { type Held, type PoolNodes, slotsOf } from "../pool-slots.ts";
import { checkStartInPool, isAttemptId, rejectBusySlots } from "../start-rules.ts";
import { factsOf, selectorOf } from "./attempts.ts";
import { Capacity } from "./capacity.ts";
import { KubeCalls } from "./client.ts";
import { foreignJobsOf } from "./foreign-queue.ts";
import { KueueWorkloads } from "./kueue.ts";
import { AttemptLogs } from "./logs.ts";
import { jobOf, type ManifestInput, podsOf, secretOf, serviceOf } from "./manifest.ts";
import { ANNOTATIONS, FINALIZER, LABELS, objectNameOf, siteLabelOf } from "./names.ts";
import type { KubePod, Verdict } from "./objects.ts";
import {
	type AttemptFacts,
	canStartAgain,
	isIncomplete,
	mountProblemOf,
	noRoomOf,
	observationOf,
	podStateOf,
	type Surroundings,
	startProblemOf,
	unplacedPodOf,
	unpreparedPodOf,
	waitOf,
} from "./observe-attempt.ts";
import { poolIdOf } from "./pool-id.ts";
import { type KubePool, type ResolveAccelerator, withNodesToCome } from "./pools.ts";
import { KubernetesQueue } from "./queue.ts";
import { findFeatures, type ServerFeatures } from "./server-features.ts";
import { type KubernetesSettings, kubernetesSettingsSchema, type ParsedKubernetesSettings } from "./settings.ts";
import type { TheirJob } from "./their-job.ts";
import { SiteVolume, volumeError } from "./volume.ts";

/** How often the jobs of a closing site are looked for, and how much longer than their grace. */
const LOOK_AGAIN_MS = 100;
const CLOSE_SLACK_MS = 10_000;
/** What the server can do changes when it is upgraded. */
const FEATURES_EVERY_MS = 10 * 60_000;

export interface KubernetesDriverOptions {
	clock?: Clock;
	/** Our name for a GPU product's label; null: not known. */
	resolveAccelerator?: ResolveAccelerator;
	/** For tests against old servers: Jobs also where the server would replace a deleted pod. */
	alwaysJobs?: boolean;
}

/**
 * A Kubernetes cluster by its API server. Everything that is known of an attempt lies in the cluster, on its Job and its
 * pods, so that neither our restart nor the cluster's loses any: its slots and its stop in annotations, its end on
 * the pod itself, which a finalizer keeps until the end was recorded.
 */
export class KubernetesDriver implements ClusterDriver {
	readonly provider = "kubernetes";
	readonly capabilities = { multiNode: true, pushesChanges: true };
	/** Null where no namespace is named from which jobs may be adopted. */
	readonly queue: KubernetesQueue | null;
	readonly siteId: string;
	readonly #settings: ParsedKubernetesSettings;
	readonly #clock: Clock;
	readonly #calls: KubeCalls;
	readonly #siteLabel: string;
	readonly #capacity: Capacity;
	readonly #logs: AttemptLogs;
	readonly #volume: SiteVolume | null;
	readonly #alwaysJobs: boolean;
	readonly #listeners = new Set<() => void>();
	/** Gangs that surely have their service. */
	readonly #named = new Set<string>();
	/**
	 * Pools that did not grow when a pod asked: until when nothing is counted on to come. Lost with the process: then one job tries
	 * again.
	 */
	readonly #driesUntilMs = new Map<string, number>();
	#features: { found: Promise<ServerFeatures>; atMs: number } | null = null;
	#foreign: readonly ForeignJob[] = [];
	#startQueue: Promise<unknown> = Promise.resolve();

	/** @throws ZodError for wrong settings. */
	constructor(siteId: string, settings: KubernetesSettings, options: KubernetesDriverOptions = {}) {
		this.siteId = siteId;
		this.#settings = kubernetesSettingsSchema.parse(settings);
		this.#clock = options.clock ?? systemClock;
		this.#alwaysJobs = options.alwaysJobs ?? false;
		this.#calls = new KubeCalls(this.#settings, this.#clock);
		this.#siteLabel = siteLabelOf(siteId);
		const { volume, adoptFrom, namespace } = this.#settings;
		this.#logs = new AttemptLogs(this.#calls, this.#clock, new KueueWorkloads(this.#calls, this.#clock, namespace));
		this.queue =
			adoptFrom.length === 0
				? null
				: new KubernetesQueue({
						...{ calls: this.#calls, clock: this.#clock, namespaces: adoptFrom },
						features: () => this.#serverFeatures(),
						onChange: () => this.#tell(),
					});
		this.#volume = volume ? new SiteVolume(volume, (request) => this.#submit(request)) : null;
		this.#capacity = new Capacity(this.#calls, {
			settings: this.#settings,
			siteLabel: this.#siteLabel,
			resolve: options.resolveAccelerator ?? (() => null),
			onOurs: (pod) => {
				// Its node throws the log away with the pod.
				if (pod.deletionAtMs !== null) void this.#logs.keep(pod);
				this.#tell();
			},
			onNode: () => {},
		});
	}

	observe(): Promise<ClusterObservation> {
		return this.#guarded(async () => {
			const observedAtMs = this.#clock.nowMs();
			const known = await this.#known();
			const around = await this.#around();
			await Promise.all(known.map((facts) => this.#tend(facts, around)));
			const seen = await Promise.all(known.map((facts) => this.#observed(facts, around)));
			const held = seen.filter(({ observation }) => isLive(observation)).map(({ facts }) => heldBy(facts));
			const staging = (await this.#volume?.others(new Set(known.map((f) => f.meta.attemptId)), this.#clock.nowMs())) ?? [];
			for (const { observation, poolId } of staging) {
				if (isLive(observation)) held.push({ poolId, slots: observation.slots, hasGpus: false });
			}
			const { pools, nodes } = await this.#capacity.pools(known.flatMap((f) => f.pods));
			const slots = pools.map((pool) => slotsOf(this.#withNodesToCome(pool), held));
			const taken = new Map(slots.map((pool) => [pool.id, pool.unavailableSlots]));
			const { resources } = this.#settings;
			const theirs = await this.#theirs();
			const jobs = foreignJobsOf(await this.#capacity.othersPods(), { pools, resources, taken, theirs });
			// The same array while nothing is new.
			if (JSON.stringify(jobs) !== JSON.stringify(this.#foreign)) this.#foreign = jobs;
			return {
				observedAtMs,
				pools: slots,
				nodes,
				attempts: [...seen, ...staging].map(({ observation }) => observation),
				foreign: { atMs: observedAtMs, jobs: this.#foreign },
			};
		});
	}

	async #observed(facts: AttemptFacts, around: Surroundings): Promise<{ facts: AttemptFacts; observation: AttemptObservation }> {
		const observation = observationOf(facts, around);
		if (observation.phase !== "staging") return { facts, observation };
		return { facts, observation: { ...observation, clusterWait: await this.#waitOf(facts) } };
	}

	async #waitOf(facts: AttemptFacts): Promise<ClusterWait | null> {
		const queued = await this.#logs.queued(facts);
		const unplaced = unplacedPodOf(facts);
		return waitOf(facts, { queued, unplaced: unplaced && this.#mayGrow(facts) ? await this.#logs.eventsOf(unplaced) : [] });
	}

	/** Whether the cluster's autoscaler adds nodes to its pool. */
	#mayGrow({ meta }: AttemptFacts): boolean {
		return this.#settings.nodeGroups.some((group) => poolIdOf(group.product, group.gpusPerNode) === meta.poolId);
	}

	#withNodesToCome(pool: KubePool): PoolNodes {
		return withNodesToCome(pool, { noneComes: (this.#driesUntilMs.get(pool.id) ?? 0) > this.#clock.nowMs() });
	}

	/** Whether no node comes for an attempt that one was to come for. Others are not to wait for one there either, for as long again. */
	async #noRoomOf(facts: AttemptFacts, nowMs: number): Promise<Pick<Verdict, "error" | "failedAt"> | null> {
		const pod = unplacedPodOf(facts);
		if (!pod || !this.#mayGrow(facts)) return null;
		const { scaleUpMs } = this.#settings;
		const noRoom = noRoomOf(facts, await this.#logs.eventsOf(pod), { nowMs, patienceMs: scaleUpMs });
		if (noRoom) this.#driesUntilMs.set(facts.meta.poolId, nowMs + scaleUpMs);
		return noRoom;
	}

	async #mountProblemOf(facts: AttemptFacts, around: Surroundings): Promise<Pick<Verdict, "error" | "failedAt"> | null> {
		const pod = unpreparedPodOf(facts, around, this.#settings.startProblemsMs);
		return pod && mountProblemOf(pod, await this.#logs.eventsOf(pod));
	}

	/** Without the rights to read them nothing is adopted, which the site's check reports; the rest of the site continues. */
	async #theirs(): Promise<TheirJob[]> {
		try {
			return (await this.queue?.jobs()) ?? [];
		} catch (error) {
			if (error instanceof DriverError && (error.kind === "unauthorized" || error.kind === "not_found")) return [];
			throw error;
		}
	}

	start(request: StartAttempt): Promise<void> {
		// Taken in one after the other: two starts must not both find the same slot free.
		const turn = this.#startQueue.then(() => this.#guarded(() => this.#takeIn(request)));
		this.#startQueue = turn.catch(() => {});
		return turn;
	}

	async #takeIn(request: StartAttempt): Promise<void> {
		const { attemptId, poolId } = request;
		if (!isAttemptId(attemptId)) throw new DriverError("invalid_request", `${JSON.stringify(attemptId)} is no id of an attempt`);
		const known = await this.#known();
		if (known.some((f) => f.meta.attemptId === attemptId) || (await this.#volume?.knows(attemptId))) return;
		const pool = await this.#pool(poolId, known);
		checkStartInPool(request, this.#withNodesToCome(pool));
		const around = await this.#around();
		const staging = (await this.#volume?.others(new Set(known.map((f) => f.meta.attemptId)), this.#clock.nowMs())) ?? [];
		const live = [...known.map((facts) => ({ poolId: facts.meta.poolId, observation: observationOf(facts, around) })), ...staging].filter(
			(one) => one.poolId === poolId && isLive(one.observation),
		);
		rejectBusySlots(
			request,
			live.map(({ observation }) => observation),
		);
		const { secrets, ...rest } = request;
		if (this.#volume) return this.#withSecret(attemptId, secrets, () => this.#volume?.handOver(rest));
		const wants =
			request.spec.data.length > 0
				? "brings data"
				: request.restoreFrom !== null
					? "continues from a checkpoint"
					: (request.spec.outputs ?? []).length > 0
						? "declares outputs"
						: null;
		if (wants !== null) {
			const why = `the job ${wants}, but this site has no volume. Set "volume" of the site`;
			throw new DriverError("invalid_request", `attempt ${attemptId} cannot start: ${why}`);
		}
		await this.#withSecret(attemptId, secrets, () => this.#submit(rest));
	}

	/** Names are those of attempts, so a Secret that a repeated call finds is this one's. Of what was refused nothing stays. */
	async #withSecret(attemptId: string, secrets: DeliveredSecrets | undefined, begin: () => Promise<void> | undefined): Promise<void> {
		if (secrets) await this.#calls.createSecret(secretOf(attemptId, this.#siteLabel, secrets));
		try {
			await begin();
		} catch (error) {
			if (secrets && error instanceof DriverError && createdNothing(error.kind)) await this.#calls.deleteSecret(objectNameOf(attemptId));
			throw error;
		}
	}

	/** Asked again for the same attempt it makes what is missing. */
	async #submit({ attemptId, jobId, attemptNo, spec, poolId, slots }: StartAttempt): Promise<void> {
		const input: ManifestInput = {
			...{ attemptId, jobId, attemptNo, spec, slots, settings: this.#settings, siteLabel: this.#siteLabel },
			pool: await this.#pool(poolId, await this.#known()),
			folders: this.#volume?.folders(attemptId, spec) ?? null,
		};
		const features = await this.#serverFeatures();
		if (spec.nodes > 1) await this.#calls.createService(serviceOf(attemptId, this.#siteLabel));
		if (this.#usesJobs(features, spec.nodes)) return this.#calls.createJob(jobOf(input, features));
		for (const pod of podsOf(input)) await this.#calls.createPod(pod);
	}

	/** Where a Job would replace a pod that somebody deleted, the attempt could run twice: there it runs as plain pods. */
	#usesJobs({ indexed, podReplacement }: ServerFeatures, nodes: number): boolean {
		return (podReplacement || this.#alwaysJobs) && (nodes === 1 || indexed);
	}

	/** Goes on with what was begun, and puts right what happened behind our back. */
	async #tend(facts: AttemptFacts, around: Surroundings): Promise<void> {
		const { meta, stop, pods } = facts;
		for (const pod of pods) if (pod.deletionAtMs !== null) void this.#logs.keep(pod);
		if (facts.job && canStartAgain(facts, around)) await this.#calls.patchJob(facts.job.name, { spec: { parallelism: 0 } });
		const observation = observationOf(facts, around);
		if (!isLive(observation)) return;
		if (meta.nodes > 1 && !this.#named.has(meta.attemptId)) {
			await this.#calls.createService(serviceOf(meta.attemptId, this.#siteLabel));
			this.#named.add(meta.attemptId);
		}
		if (stop) return this.#endPods(facts, around, Math.max(0, stop.byMs - around.nowMs));
		const started = facts.verdict ?? startProblemOf(facts, around, this.#settings.startProblemsMs);
		const problem = started ?? (await this.#mountProblemOf(facts, around)) ?? (await this.#noRoomOf(facts, around.nowMs));
		if (problem !== null) {
			if (!facts.verdict) await this.#mark(facts, ANNOTATIONS.verdict, { atMs: around.nowMs, ...problem });
			return this.#endPods(facts, around, 0);
		}
		const oneFailed = pods.some((pod) => isBadEnd(podStateOf(pod, meta, around)));
		if (!facts.asJob && (oneFailed || isIncomplete(facts, around.nowMs))) {
			await this.#endPods(facts, around, this.#settings.evictionGraceSeconds * 1_000);
		}
	}

	/** Pods that are not ending yet are deleted. */
	async #endPods({ pods, meta }: AttemptFacts, around: Surroundings, graceMs: number): Promise<void> {
		const live = pods.filter((pod) => pod.deletionAtMs === null && podStateOf(pod, meta, around).kind !== "over");
		await Promise.all(live.map((pod) => this.#endPod(pod, graceMs)));
	}

	async #endPod(pod: KubePod, graceMs: number): Promise<void> {
		await this.#logs.keep(pod);
		// With 0 it would be taken off the books without its end.
		await this.#calls.deletePod(pod.name, Math.max(1, Math.ceil(graceMs / 1_000)));
	}

	stop(attemptId: string, graceMs: number): Promise<void> {
		return this.#guarded(async () => {
			if (!isAttemptId(attemptId)) return;
			// What is being brought ends, or is submitted by then.
			await this.#volume?.stop(attemptId);
			const facts = await this.#one(attemptId);
			if (!facts) return;
			const around = await this.#around();
			if (!isLive(observationOf(facts, around))) return;
			const nowMs = this.#clock.nowMs();
			const byMs = nowMs + graceMs;
			if (byMs < (facts.stop?.byMs ?? Number.POSITIVE_INFINITY)) {
				await this.#mark(facts, ANNOTATIONS.stop, { atMs: facts.stop?.atMs ?? nowMs, byMs });
			}
			const { podReplacement } = await this.#serverFeatures();
			// The server deletes pods that it has no place for with its own grace, so that comes last where it may.
			if (facts.job && (facts.pods.length === 0 || !podReplacement))
				await this.#calls.patchJob(facts.job.name, { spec: { parallelism: 0 } });
			const running = facts.pods.filter((pod) => podStateOf(pod, facts.meta, around).kind !== "over");
			await Promise.all(running.map((pod) => this.#endPod(pod, graceMs)));
		});
	}

	/**
	 * Leaves a note on its pods, or on its Job while it has none. Where a webhook lets no Job be changed since it does not answer, as
	 * Kueue's while Kueue is unavailable, what runs can be ended all the same.
	 */
	async #mark({ job, pods }: AttemptFacts, annotation: string, value: unknown): Promise<void> {
		const patch = { metadata: { annotations: { [annotation]: JSON.stringify(value) } } };
		if (job && pods.length === 0) await this.#calls.patchJob(job.name, patch);
		await Promise.all(pods.map((pod) => this.#calls.patchPod(pod.name, patch)));
	}

	readLogs(attemptId: string, cursor: LogCursor, maxBytes: number): Promise<{ lines: LogLine[]; cursor: LogCursor }> {
		return this.#guarded(async () => {
			const facts = isAttemptId(attemptId) ? await this.#one(attemptId) : null;
			return facts ? this.#logs.read(facts, cursor, maxBytes) : { lines: [], cursor };
		});
	}

	/** The folder and what is in it go when the attempt is forgotten. */
	async listOutput(attemptId: string, path: string): Promise<OutputFiles | null> {
		return this.#volume && isAttemptId(attemptId) ? listOutput(this.#volume.workFolder(attemptId), path) : null;
	}

	checkpointFolder(attemptId: string): string | null {
		return isAttemptId(attemptId) ? (this.#volume?.checkpointFolder(attemptId) ?? null) : null;
	}

	forget(attemptId: string): Promise<void> {
		return this.#guarded(async () => {
			if (!isAttemptId(attemptId)) return;
			const facts = await this.#one(attemptId);
			if (facts && isLive(observationOf(facts, await this.#around()))) {
				throw new DriverError("invalid_request", `attempt ${attemptId} is not over and cannot be forgotten; stop it first`);
			}
			const hasSecret = facts?.meta.secret ?? this.#volume?.hasSecrets(attemptId) ?? false;
			if (facts) await this.#remove(facts);
			if (hasSecret) await this.#calls.deleteSecret(objectNameOf(attemptId));
			await this.#volume?.forget(attemptId);
		});
	}

	/** The pods last, since by them the attempt is found again should this be cut short. */
	async #remove(facts: AttemptFacts): Promise<void> {
		const { meta, job, pods } = facts;
		if (meta.nodes > 1) await this.#calls.deleteService(objectNameOf(meta.attemptId));
		if (job) await this.#calls.deleteJob(job.name);
		const release = { metadata: { labels: { [LABELS.site]: null }, "$deleteFromPrimitiveList/finalizers": [FINALIZER] } };
		for (const pod of pods) {
			// Asked for first: what loses its finalizer while it is being deleted no longer exists at once.
			await this.#calls.deletePod(pod.name, 0);
			await this.#calls.patchPod(pod.name, release);
		}
		this.#logs.forget(facts);
		this.#named.delete(meta.attemptId);
	}

	subscribe(onChange: () => void): () => void {
		this.#listeners.add(onChange);
		return () => this.#listeners.delete(onChange);
	}

	async close({ stopJobs, graceMs }: { stopJobs: boolean; graceMs: number }): Promise<void> {
		await this.#startQueue;
		if (stopJobs) await this.#stopAll(graceMs);
		await this.#volume?.close();
		this.#capacity.close();
		this.queue?.close();
		this.#logs.close();
	}

	async #stopAll(graceMs: number): Promise<void> {
		const live = async () => (await this.observe()).attempts.filter(isLive);
		const giveUpMs = performance.now() + graceMs + CLOSE_SLACK_MS;
		for (const { attemptId } of await live()) await this.stop(attemptId, graceMs);
		while ((await live()).length > 0 && performance.now() < giveUpMs) await sleep(LOOK_AGAIN_MS);
	}

	#tell(): void {
		for (const listener of this.#listeners) listener();
	}

	/** Every attempt that the cluster shows, as it is now. */
	async #known(attemptId?: string): Promise<AttemptFacts[]> {
		const selector = selectorOf(this.#siteLabel, attemptId);
		// A pod that a Job made in between is seen, and never a pod without the Job that made it.
		const pods = await this.#calls.pods(selector);
		return [...factsOf(await this.#calls.jobs(selector), pods).values()];
	}

	async #one(attemptId: string): Promise<AttemptFacts | null> {
		return (await this.#known(attemptId)).find((f) => f.meta.attemptId === attemptId) ?? null;
	}

	async #around(): Promise<Surroundings> {
		const nodes = await this.#capacity.nodes();
		const isNodeReady = (name: string) => nodes.get(name)?.ready ?? false;
		return { nowMs: this.#clock.nowMs(), isNodeReady, nodeLostAfterMs: this.#settings.nodeLostAfterMs };
	}

	/** @throws DriverError invalid_request when there is no such pool. */
	async #pool(poolId: string, known: readonly AttemptFacts[]): Promise<KubePool> {
		const { pools } = await this.#capacity.pools(known.flatMap((f) => f.pods));
		const found = pools.find((p) => p.id === poolId);
		if (found) return found;
		const ids = pools.map((p) => p.id).join(", ");
		throw new DriverError("invalid_request", `this site has the pools ${ids}, not ${JSON.stringify(poolId)}`);
	}

	#serverFeatures(): Promise<ServerFeatures> {
		const nowMs = this.#clock.nowMs();
		if (!this.#features || nowMs - this.#features.atMs > FEATURES_EVERY_MS) {
			const found = findFeatures(this.#calls, this.#settings);
			this.#features = { found, atMs: nowMs };
			// What could not be asked is asked again.
			found.catch(() => {
				this.#features = null;
			});
		}
		return this.#features.found;
	}

	async #guarded<T>(run: () => Promise<T>): Promise<T> {
		try {
			return await run();
		} catch (error) {
			throw volumeError(error, this.#settings.volume?.folder ?? "");
		}
	}
}

function isLive({ phase }: AttemptObservation): boolean {
	return phase !== "exited" && phase !== "lost";
}

function isBadEnd(state: ReturnType<typeof podStateOf>): boolean {
	return state.kind === "over" && state.exit?.code !== 0;
}

function heldBy({ meta, pods }: AttemptFacts): Held {
	return { poolId: meta.poolId, slots: meta.slots, hasGpus: pods.length > 0 && pods.every((pod) => pod.node !== null) };
}
