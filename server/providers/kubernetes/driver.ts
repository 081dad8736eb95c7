import { setTimeout as sleep } from "node:timers/promises";
import type { CachedSet } from "#server/agent/data-cache.ts";
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
import type { TheirJob } from "./foreign-job.ts";
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
import { SiteVolume, volumeError } from "./volume.ts";

/** Polling interval for the jobs of a closing site, and how much longer than their grace period to wait. */
const LOOK_AGAIN_MS = 100;
const CLOSE_SLACK_MS = 10_000;
/** The server's features change when it is upgraded. */
const FEATURES_EVERY_MS = 10 * 60_000;

export interface KubernetesDriverOptions {
	clock?: Clock;
	/** Our name for a GPU product label; null if unknown. */
	resolveAccelerator?: ResolveAccelerator;
	/** For tests against old servers: use Jobs even if the server would replace a deleted pod. */
	alwaysJobs?: boolean;
}

/**
 * A Kubernetes cluster through its API server. Everything known about an attempt is stored in the cluster, on its Job and its
 * pods, so that neither our restart nor the cluster's loses it: its slots and its stop in annotations, its end on the pod itself,
 * which a finalizer keeps until the end is recorded.
 */
export class KubernetesDriver implements ClusterDriver {
	readonly provider = "kubernetes";
	readonly capabilities = { multiNode: true, pushesChanges: true };
	/** null if the settings name no namespace for adoption. */
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
	/** Gangs that are known to have their service. */
	readonly #named = new Set<string>();
	/**
	 * Pools that failed to grow when a pod needed a node, and until when no new nodes are expected there. Lost with the process: one
	 * job then tries again.
	 */
	readonly #driesUntilMs = new Map<string, number>();
	#features: { found: Promise<ServerFeatures>; atMs: number } | null = null;
	#foreign: readonly ForeignJob[] = [];
	#startQueue: Promise<unknown> = Promise.resolve();

	/** @throws ZodError for invalid settings */
	constructor(siteId: string, settings: KubernetesSettings, options: KubernetesDriverOptions = {}) {
		this.siteId = siteId;
		this.#settings = kubernetesSettingsSchema.parse(settings);
		this.#clock = options.clock ?? systemClock;
		this.#alwaysJobs = options.alwaysJobs ?? false;
		this.#calls = new KubeCalls(this.#settings, this.#clock);
		this.#siteLabel = siteLabelOf(siteId);
		const { volume, adoptFrom, namespace, cache } = this.#settings;
		this.#logs = new AttemptLogs(this.#calls, this.#clock, new KueueWorkloads(this.#calls, this.#clock, namespace));
		this.queue =
			adoptFrom.length === 0
				? null
				: new KubernetesQueue({
						...{ calls: this.#calls, clock: this.#clock, namespaces: adoptFrom },
						features: () => this.#serverFeatures(),
						onChange: () => this.#tell(),
					});
		this.#volume = volume ? new SiteVolume(volume, (request) => this.#submit(request), cache) : null;
		this.#capacity = new Capacity(this.#calls, {
			settings: this.#settings,
			siteLabel: this.#siteLabel,
			resolve: options.resolveAccelerator ?? (() => null),
			onOurs: (pod) => {
				// The node discards the log with the pod.
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
			// The same array until something changes.
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

	/**
	 * Whether no node arrives for an attempt that needs one. Other attempts then do not wait for one there either, for the same
	 * length of time.
	 */
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

	/** Without the rights to read them, nothing is adopted, which the site's check reports; the rest of the site works. */
	async #theirs(): Promise<TheirJob[]> {
		try {
			return (await this.queue?.jobs()) ?? [];
		} catch (error) {
			if (error instanceof DriverError && (error.kind === "unauthorized" || error.kind === "not_found")) return [];
			throw error;
		}
	}

	start(request: StartAttempt): Promise<void> {
		// Starts are serialized, so that two of them cannot take the same free slot.
		const turn = this.#startQueue.then(() => this.#guarded(() => this.#takeIn(request)));
		this.#startQueue = turn.catch(() => {});
		return turn;
	}

	async #takeIn(request: StartAttempt): Promise<void> {
		const { attemptId, poolId } = request;
		if (!isAttemptId(attemptId)) throw new DriverError("invalid_request", `${JSON.stringify(attemptId)} is not an attempt id`);
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
				? "has data to stage"
				: request.restoreFrom !== null
					? "continues from a checkpoint"
					: (request.spec.outputs ?? []).length > 0
						? "declares outputs"
						: null;
		if (wants !== null) {
			const why = `the job ${wants}, but this site has no volume. Set "volume" in the site's settings`;
			throw new DriverError("invalid_request", `attempt ${attemptId} cannot start: ${why}`);
		}
		await this.#withSecret(attemptId, secrets, () => this.#submit(rest));
	}

	/** Names belong to attempts, so a Secret that a repeated call finds is this one's. A rejected start leaves nothing behind. */
	async #withSecret(attemptId: string, secrets: DeliveredSecrets | undefined, begin: () => Promise<void> | undefined): Promise<void> {
		if (secrets) await this.#calls.createSecret(secretOf(attemptId, this.#siteLabel, secrets));
		try {
			await begin();
		} catch (error) {
			if (secrets && error instanceof DriverError && createdNothing(error.kind)) await this.#calls.deleteSecret(objectNameOf(attemptId));
			throw error;
		}
	}

	/** A repeated call for the same attempt creates what is missing. */
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

	/** If a Job would replace a pod that someone deleted, the attempt could run twice. On such servers it runs as plain pods. */
	#usesJobs({ indexed, podReplacement }: ServerFeatures, nodes: number): boolean {
		return (podReplacement || this.#alwaysJobs) && (nodes === 1 || indexed);
	}

	/** Continues what was started, and repairs changes made without our knowledge. */
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

	/** Deletes pods that are not ending yet. */
	async #endPods({ pods, meta }: AttemptFacts, around: Surroundings, graceMs: number): Promise<void> {
		const live = pods.filter((pod) => pod.deletionAtMs === null && podStateOf(pod, meta, around).kind !== "over");
		await Promise.all(live.map((pod) => this.#endPod(pod, graceMs)));
	}

	async #endPod(pod: KubePod, graceMs: number): Promise<void> {
		await this.#logs.keep(pod);
		// With 0 seconds it would be removed without its end being recorded.
		await this.#calls.deletePod(pod.name, Math.max(1, Math.ceil(graceMs / 1_000)));
	}

	stop(attemptId: string, graceMs: number): Promise<void> {
		return this.#guarded(async () => {
			if (!isAttemptId(attemptId)) return;
			// Staging ends here, or the attempt has been submitted.
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
			// The server deletes surplus pods with their own grace period, so that comes last where the server allows it.
			if (facts.job && (facts.pods.length === 0 || !podReplacement))
				await this.#calls.patchJob(facts.job.name, { spec: { parallelism: 0 } });
			const running = facts.pods.filter((pod) => podStateOf(pod, facts.meta, around).kind !== "over");
			await Promise.all(running.map((pod) => this.#endPod(pod, graceMs)));
		});
	}

	/**
	 * Records an annotation on its pods, or on its Job while it has none. If an unavailable webhook blocks changes to Jobs, like
	 * Kueue's while Kueue is down, running attempts can still be ended.
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

	/** The folder and its content are deleted when the attempt is forgotten. */
	async listOutput(attemptId: string, path: string): Promise<OutputFiles | null> {
		return this.#volume && isAttemptId(attemptId) ? listOutput(this.#volume.workFolder(attemptId), path) : null;
	}

	async cachedData(): Promise<CachedSet[]> {
		return (await this.#volume?.cachedData()) ?? [];
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

	/** Pods are deleted last, because they identify the attempt if this is interrupted. */
	async #remove(facts: AttemptFacts): Promise<void> {
		const { meta, job, pods } = facts;
		if (meta.nodes > 1) await this.#calls.deleteService(objectNameOf(meta.attemptId));
		if (job) await this.#calls.deleteJob(job.name);
		const release = { metadata: { labels: { [LABELS.site]: null }, "$deleteFromPrimitiveList/finalizers": [FINALIZER] } };
		for (const pod of pods) {
			// The deletion is requested first: an object that loses its finalizer while being deleted disappears immediately.
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

	/** Every attempt that the cluster shows, in its current state. */
	async #known(attemptId?: string): Promise<AttemptFacts[]> {
		const selector = selectorOf(this.#siteLabel, attemptId);
		// This order finds a pod that a Job creates in between, and never a pod without the Job that created it.
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

	/** @throws DriverError invalid_request if no such pool exists */
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
			// A failed query is repeated.
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
