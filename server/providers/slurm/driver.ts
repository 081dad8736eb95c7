import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CachedSet } from "#server/agent/data-cache.ts";
import { listOutput, type OutputFiles } from "#server/agent/output-files.ts";
import { type Clock, systemClock } from "#server/kernel/clock.ts";
import type { ClusterDriver, ClusterObservation, LogCursor, LogLine, StartAttempt } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import { isMissing, writeWhole } from "../local/attempt-folder.ts";
import { checkpointFolderOf, dataCacheOf } from "../local/bring-data.ts";
import { writeStoppedBefore } from "../local/observe-attempt.ts";
import { readLogFiles } from "../local/read-logs.ts";
import { needsStaging } from "../local/run-attempt.ts";
import { type Held, slotsOf } from "../pool-slots.ts";
import { checkStartInPool, isAttemptId, rejectBusySlots } from "../start-rules.ts";
import { createStateFolder, removeFolder, writeNote } from "./attempt-files.ts";
import { isLive, type KnownAttempt, SlurmAttempts } from "./attempts.ts";
import { SlurmCalls } from "./client.ts";
import { carryOn, endHandOver, endHandOvers, type HandOverContext, submitAttempt, submitNewAttempt } from "./hand-over.ts";
import { mustBeCancelled } from "./observe-attempt.ts";
import { PoolWatch } from "./pool-watch.ts";
import { SlurmQueue } from "./queue.ts";
import { QueueWatch } from "./queue-watch.ts";
import { type ParsedSlurmSettings, type SlurmSettings, slurmSettingsSchema } from "./settings.ts";

/** Polling interval for the jobs of a closing site, and how much longer than their grace period to wait. */
const LOOK_AGAIN_MS = 100;
const CLOSE_SLACK_MS = 10_000;
/** The supervisor on the node kills at the end of the grace period; if it has not by then, Slurm does. */
const STOP_SLACK_MS = 30_000;
const CANCEL_AGAIN_MS = 10_000;
/** Slurm's error for a job that is starting and cannot be signalled; the job checks for its `stop` file itself. */
const TRANSITION = "2020";

/**
 * A Slurm cluster through slurmrestd. Slurm places, starts and kills. Attempts are stored in a folder that the nodes share, and
 * the supervisor, the same as for the local site, writes their ends there, so that neither our restarts nor Slurm's lose any.
 */
export class SlurmDriver implements ClusterDriver {
	readonly provider = "slurm";
	readonly capabilities = { multiNode: true, pushesChanges: false };
	/** null without `scontrol`: jobs of others are then only reported. */
	readonly queue: SlurmQueue | null;
	readonly siteId: string;
	readonly #settings: ParsedSlurmSettings;
	readonly #clock: Clock;
	readonly #calls: SlurmCalls;
	readonly #attempts: SlurmAttempts;
	readonly #pools: PoolWatch;
	readonly #theirs: QueueWatch;
	readonly #ctx: HandOverContext;
	readonly #cancelledAtMs = new Map<number, number>();
	#startQueue: Promise<unknown> = Promise.resolve();
	#closed = false;

	/** @throws ZodError for invalid settings */
	constructor(siteId: string, settings: SlurmSettings, clock: Clock = systemClock) {
		this.siteId = siteId;
		this.#settings = slurmSettingsSchema.parse(settings);
		this.#clock = clock;
		this.#calls = new SlurmCalls(this.#settings, clock);
		this.#attempts = new SlurmAttempts(this.#settings, this.#calls, clock);
		this.#pools = new PoolWatch(this.#settings, this.#calls, clock);
		this.#theirs = new QueueWatch(this.#settings, this.#calls, clock);
		const { scontrol, answerTimeoutMs: timeoutMs } = this.#settings;
		const lists = { dependantsOf: (id: number) => this.#theirs.dependantsOf(id), all: () => this.#theirs.all() };
		this.queue = scontrol ? new SlurmQueue({ calls: this.#calls, scontrol, timeoutMs, clock, ...lists }) : null;
		this.#ctx = { settings: this.#settings, calls: this.#calls, clock, pool: (id) => this.#pools.one(id) };
	}

	observe(): Promise<ClusterObservation> {
		return this.#guarded("the Slurm site cannot be observed", async () => {
			const observedAtMs = this.#clock.nowMs();
			const known = await this.#attempts.all();
			for (const attempt of known) await this.#tend(attempt);
			const held = known.filter(isLive).map(heldBy);
			const ours = await this.#pools.now();
			const pools = ours.map((pool) => slotsOf(pool, held));
			const taken = new Map(pools.map(({ id, unavailableSlots }) => [id, unavailableSlots]));
			const foreign = await this.#theirs.now(ours, taken);
			await this.queue?.updateLateDependants();
			return { observedAtMs, pools, nodes: this.#pools.nodes(), attempts: known.map((a) => a.observation), foreign };
		});
	}

	start(request: StartAttempt): Promise<void> {
		return this.#guarded(`attempt ${request.attemptId} cannot start`, async () => {
			const { attemptId } = request;
			if (!isAttemptId(attemptId)) throw new DriverError("invalid_request", `${JSON.stringify(attemptId)} is not an attempt id`);
			// Files are read and written concurrently; only slots are assigned one start at a time.
			const before = await this.#attempts.begun(attemptId);
			if (before) return this.#handOverAgain(before);
			const turn = this.#startQueue.then(() => this.#takeIn(request));
			this.#startQueue = turn.catch(() => {});
			return (await turn).handedOver;
		});
	}

	#handOverAgain({ facts, paths, request }: KnownAttempt): Promise<void> {
		return facts.note !== null || facts.exit !== null ? Promise.resolve() : submitAttempt(this.#ctx, paths, request);
	}

	/**
	 * Assigns the attempt its slots: two starts must not take the same free one. `handedOver`: Slurm has it, or its data is being
	 * staged.
	 */
	async #takeIn(request: StartAttempt): Promise<{ handedOver: Promise<void> }> {
		const { attemptId, jobId, attemptNo, spec, poolId, slots, restoreFrom, secrets } = request;
		const holding = await this.#attempts.holding(poolId);
		// The same start again, while the first one waited for its turn.
		const twin = this.#attempts.latest(attemptId);
		if (twin && isLive(twin)) return { handedOver: this.#handOverAgain(twin) };
		checkStartInPool(request, await this.#pools.one(poolId));
		rejectBusySlots(request, holding);
		const paths = this.#attempts.paths(attemptId);
		const stored = { attemptId, jobId, attemptNo, spec, poolId, slots, restoreFrom };
		const { written, done } = submitNewAttempt(this.#ctx, paths, stored, secrets);
		this.#attempts.add(paths, stored);
		const handedOver = (needsStaging(request) ? written : done).catch(async (error: unknown) => {
			// A rejected attempt leaves nothing behind; one without a response yet is continued.
			if (!(error instanceof DriverError) || error.kind !== "transient") await this.#drop(attemptId);
			throw error;
		});
		handedOver.catch(() => {});
		return { handedOver };
	}

	/** Continues what is not submitted, and repairs changes made without our knowledge. */
	async #tend(attempt: KnownAttempt): Promise<void> {
		const { paths, request, facts, sight } = attempt;
		if (this.#closed || !isLive(attempt)) return;
		if (facts.note === null) {
			if (facts.exit === null) carryOn(this.#ctx, paths, request);
			return;
		}
		const { slurmJobId } = facts.note;
		if (facts.run !== null && facts.run.slurmJobId !== slurmJobId) {
			// Slurm had it twice, and the other job started first. This one ends by itself, or never starts.
			await this.#cancel(slurmJobId);
			return writeNote(paths, { ...facts.note, slurmJobId: facts.run.slurmJobId, startedAtMs: null, endedAtMs: null });
		}
		const overdue = facts.stopByMs !== null && this.#clock.nowMs() > facts.stopByMs + STOP_SLACK_MS;
		if (overdue || mustBeCancelled(sight)) await this.#cancel(slurmJobId);
	}

	async #cancel(slurmJobId: number): Promise<void> {
		const nowMs = this.#clock.nowMs();
		if (nowMs - (this.#cancelledAtMs.get(slurmJobId) ?? Number.NEGATIVE_INFINITY) < CANCEL_AGAIN_MS) return;
		this.#cancelledAtMs.set(slurmJobId, nowMs);
		await this.#calls.cancel(slurmJobId);
	}

	stop(attemptId: string, graceMs: number): Promise<void> {
		return this.#guarded(`attempt ${attemptId} cannot be stopped`, async () => {
			const known = await this.#find(attemptId);
			if (!known || !isLive(known) || known.facts.exit !== null) return;
			const { paths } = known;
			const byMs = this.#clock.nowMs() + graceMs;
			if (byMs < (known.facts.stopByMs ?? Number.POSITIVE_INFINITY)) {
				await createStateFolder(paths);
				await writeWhole(paths.stop, `${(graceMs / 1_000).toFixed(3)}\n${byMs}\n`);
			}
			await endHandOver(paths);
			const now = await this.#attempts.one(attemptId);
			if (!now || now.facts.exit !== null) return;
			if (now.facts.note === null) return this.#stopUnsubmitted(now);
			const { sight } = await this.#attempts.ask(now);
			if (sight.kind !== "job" || sight.overSinceMs !== null) return;
			if (sight.job.state === "PENDING") return this.#calls.cancel(sight.job.id);
			await this.#calls.signal(sight.job.id, "SIGCONT").catch((error: unknown) => {
				if (!(error instanceof DriverError) || error.providerCode !== TRANSITION) throw error;
			});
		});
	}

	/** If a submission was sent without a response, its job is looked up first, which returns the attempt's number or its end. */
	async #stopUnsubmitted({ paths, request }: KnownAttempt): Promise<void> {
		await submitAttempt(this.#ctx, paths, request);
		const now = await this.#attempts.one(request.attemptId);
		if (now && now.facts.note !== null) await this.#calls.cancel(now.facts.note.slurmJobId);
		else if (now && now.facts.exit === null) await writeStoppedBefore(paths);
	}

	readLogs(attemptId: string, cursor: LogCursor, maxBytes: number): Promise<{ lines: LogLine[]; cursor: LogCursor }> {
		return this.#guarded(`logs of attempt ${attemptId} cannot be read`, async () => {
			const known = await this.#find(attemptId);
			if (!known) return { lines: [], cursor };
			return readLogFiles(known.paths, cursor, { maxBytes, ended: !isLive(known), atMs: this.#clock.nowMs() });
		});
	}

	/** The folder and its content are deleted when the attempt is forgotten. */
	checkpointFolder(attemptId: string): string | null {
		if (!isAttemptId(attemptId)) return null;
		const request = this.#attempts.request(attemptId);
		return request && checkpointFolderOf(this.#attempts.paths(attemptId), request.spec);
	}

	async listOutput(attemptId: string, path: string): Promise<OutputFiles | null> {
		const isKnown = isAttemptId(attemptId) && this.#attempts.request(attemptId) !== null;
		return isKnown ? listOutput(this.#attempts.paths(attemptId).work, path) : null;
	}

	cachedData(): Promise<CachedSet[]> {
		const { folder, cache } = this.#settings;
		return dataCacheOf(folder, cache).list();
	}

	forget(attemptId: string): Promise<void> {
		return this.#guarded(`attempt ${attemptId} cannot be forgotten`, async () => {
			const known = await this.#find(attemptId);
			if (!known) return;
			if (isLive(known)) {
				throw new DriverError("invalid_request", `attempt ${attemptId} is not over and cannot be forgotten; stop it first`);
			}
			await this.#drop(attemptId);
		});
	}

	/** Slurm does not push changes. */
	subscribe(): () => void {
		return () => {};
	}

	async close({ stopJobs, graceMs }: { stopJobs: boolean; graceMs: number }): Promise<void> {
		await this.#startQueue;
		if (stopJobs) await this.#stopAll(graceMs);
		this.#closed = true;
		await endHandOvers(this.#settings.folder);
	}

	async #stopAll(graceMs: number): Promise<void> {
		const live = async () => (await this.observe()).attempts.filter((a) => a.phase !== "exited" && a.phase !== "lost");
		const giveUpMs = performance.now() + graceMs + CLOSE_SLACK_MS;
		for (const { attemptId } of await live()) await this.stop(attemptId, graceMs);
		while ((await live()).length > 0 && performance.now() < giveUpMs) await sleep(LOOK_AGAIN_MS);
	}

	async #find(attemptId: string): Promise<KnownAttempt | null> {
		return isAttemptId(attemptId) ? this.#attempts.one(attemptId) : null;
	}

	async #drop(attemptId: string): Promise<void> {
		await removeFolder(this.#attempts.paths(attemptId));
		this.#attempts.drop(attemptId);
	}

	/** Converts file system errors to a DriverError: the outcome is unknown, and the call may be repeated. */
	async #guarded<T>(what: string, run: () => Promise<T>): Promise<T> {
		try {
			return await run();
		} catch (cause) {
			if (cause instanceof DriverError) throw cause;
			const { folder } = this.#settings;
			const { code, path: missing = "" } = (cause ?? {}) as NodeJS.ErrnoException;
			const isMissingFolder = isMissing(cause) && [missing, path.dirname(missing)].includes(path.resolve(folder));
			const message = isMissingFolder ? `the shared folder ${folder} does not exist; mount or create it` : String(cause);
			throw new DriverError("transient", `${what}: ${message}`, code === undefined ? { cause } : { cause, providerCode: code });
		}
	}
}

function heldBy({ request: { poolId, slots }, sight }: KnownAttempt): Held {
	return { poolId, slots, hasGpus: sight.kind === "job" && sight.job.state !== "PENDING" };
}
