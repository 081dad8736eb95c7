import { mkdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { CachedSet } from "#server/agent/data-cache.ts";
import { listOutput, type OutputFiles } from "#server/agent/output-files.ts";
import { type Clock, systemClock } from "#server/kernel/clock.ts";
import type { ClusterDriver, ClusterObservation, LogCursor, LogLine, StartAttempt } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import { checkStart, rejectBusySlots } from "../start-rules.ts";
import { attemptsFolder, readIfThere, writeWhole } from "./attempt-folder.ts";
import { writeSecrets } from "./attempt-secrets.ts";
import { Attempts, type KnownAttempt } from "./attempts.ts";
import { checkpointFolderOf, dataCacheOf } from "./bring-data.ts";
import { ChangeWatch } from "./change-watch.ts";
import { abortHandOver, carryOn, startAttempt } from "./hand-over.ts";
import { openSite } from "./job-user.ts";
import { kill } from "./process-tree.ts";
import { readLogFiles } from "./read-logs.ts";
import { type LocalSite, needsStaging } from "./run-attempt.ts";
import { type LocalSettings, localSettingsSchema } from "./settings.ts";

/** Polling interval for expected ends: remains of a killed process tree, or the jobs of a closing site. */
const LOOK_AGAIN_MS = 20;
/** How much longer than the grace period a closing site waits for its jobs. */
const CLOSE_SLACK_MS = 5_000;

/** Jobs as real processes of this host, in numbered GPU slots. The folder is the source of truth; see attempt-folder.ts. */
export class LocalDriver implements ClusterDriver {
	readonly provider = "local";
	readonly capabilities = { multiNode: false, pushesChanges: true };
	/** No one else assigns this host's slots. */
	readonly queue = null;
	readonly siteId: string;
	readonly #settings: ReturnType<typeof localSettingsSchema.parse>;
	readonly #root: string;
	readonly #site: LocalSite;
	readonly #clock: Clock;
	readonly #attempts: Attempts;
	readonly #changes = new ChangeWatch();
	#startQueue: Promise<unknown> = Promise.resolve();
	#lookAgain: NodeJS.Timeout | null = null;
	#closed = false;

	/** @throws ZodError for invalid settings */
	constructor(siteId: string, settings: LocalSettings, clock: Clock = systemClock) {
		this.siteId = siteId;
		this.#settings = localSettingsSchema.parse(settings);
		this.#root = attemptsFolder(this.#settings.home);
		const { dataRemotes, mounts, cache } = this.#settings;
		const hasOtherUsers = openSite(this.#root);
		this.#site = { place: "the local site", dataRemotes, keepsOwn: false, mounts, hasOtherUsers, cache };
		this.#clock = clock;
		this.#attempts = new Attempts(this.#root, { hasOtherUsers });
	}

	observe(): Promise<ClusterObservation> {
		return guarded("the local site cannot be observed", async () => {
			const observedAtMs = this.#clock.nowMs();
			const known = await this.#attempts.all();
			for (const attempt of known) await this.#tend(attempt);
			const { poolId, accelerator, slots } = this.#settings;
			return {
				observedAtMs,
				pools: [{ id: poolId, accelerator, nodes: 1, gpusPerNode: slots, unavailableSlots: [] }],
				nodes: [
					{
						name: hostname(),
						poolId,
						state: "ready",
						reason: null,
						gpus: slots,
						gpusUsed: known.filter(isLive).reduce((n, a) => n + a.request.slots.length, 0),
					},
				],
				attempts: known.map((a) => a.observation),
				foreign: null,
			};
		});
	}

	cachedData(): Promise<CachedSet[]> {
		return dataCacheOf(this.#root, this.#settings.cache).list();
	}

	start(request: StartAttempt): Promise<void> {
		// Starts are serialized, so that two of them cannot take the same free slot.
		const turn = this.#startQueue.then(() => guarded(`attempt ${request.attemptId} cannot start`, () => this.#start(request)));
		this.#startQueue = turn.catch(() => {});
		return turn;
	}

	async #start(request: StartAttempt): Promise<void> {
		checkStart(request, this.#settings);
		const known = await this.#attempts.all();
		const before = known.find((a) => a.request.attemptId === request.attemptId);
		if (before) return this.#tend(before);
		rejectBusySlots(
			request,
			known.filter(isLive).map((a) => a.request),
		);
		const paths = this.#attempts.paths(request.attemptId);
		await mkdir(this.#root, { recursive: true, mode: 0o700 });
		const { attemptId, jobId, attemptNo, spec, poolId, slots, restoreFrom, secrets } = request;
		if (secrets) {
			await mkdir(paths.folder, { recursive: true, mode: 0o700 });
			await writeSecrets(paths, secrets, JSON.stringify);
		}
		const { written, done } = startAttempt(this.#site, paths, { attemptId, jobId, attemptNo, spec, poolId, slots, restoreFrom });
		await written;
		this.#changes.watch(attemptId, paths.state);
		// The folder of a mount may be on a server that does not respond.
		if (!needsStaging(request) && !spec.mounts) await done;
		this.#changes.notify();
	}

	/** Watches an attempt, and continues it if a dead scheduler left it. */
	async #tend({ paths, request, stage, observation }: KnownAttempt): Promise<void> {
		if (this.#closed) return;
		if (observation.phase === "exited" || observation.phase === "lost") return this.#changes.unwatch(request.attemptId);
		this.#changes.watch(request.attemptId, paths.state);
		if (stage.kind === "exited" || stage.kind === "lost") this.#lookAgainSoon();
		if (stage.kind === "before") await carryOn(this.#site, paths, request, stage);
	}

	stop(attemptId: string, graceMs: number): Promise<void> {
		return guarded(`attempt ${attemptId} cannot be stopped`, async () => {
			const known = await this.#attempts.one(attemptId);
			if (!known || known.stage.kind === "exited" || known.stage.kind === "lost") return;
			const { paths } = known;
			const deadlineMs = this.#clock.nowMs() + graceMs;
			const earlier = Number((await readIfThere(paths.stop))?.split("\n")[1] ?? Number.POSITIVE_INFINITY);
			if (deadlineMs < earlier) await writeWhole(paths.stop, `${(graceMs / 1_000).toFixed(3)}\n${deadlineMs}\n`);
			void abortHandOver(paths);
			const now = await this.#attempts.one(attemptId);
			if (now?.stage.kind === "alive") kill(now.stage.supervisor.pid, "SIGTERM");
		});
	}

	readLogs(attemptId: string, cursor: LogCursor, maxBytes: number): Promise<{ lines: LogLine[]; cursor: LogCursor }> {
		return guarded(`logs of attempt ${attemptId} cannot be read`, async () => {
			const known = await this.#attempts.one(attemptId);
			if (!known) return { lines: [], cursor };
			return readLogFiles(known.paths, cursor, { maxBytes, ended: !isLive(known), atMs: this.#clock.nowMs() });
		});
	}

	/** The folder and its content are deleted when the attempt is forgotten. */
	checkpointFolder(attemptId: string): string | null {
		const request = this.#attempts.request(attemptId);
		return request && checkpointFolderOf(this.#attempts.paths(attemptId), request.spec);
	}

	async listOutput(attemptId: string, path: string): Promise<OutputFiles | null> {
		return this.#attempts.request(attemptId) && listOutput(this.#attempts.paths(attemptId).work, path);
	}

	forget(attemptId: string): Promise<void> {
		return guarded(`attempt ${attemptId} cannot be forgotten`, async () => {
			const known = await this.#attempts.one(attemptId);
			if (!known) return;
			if (isLive(known)) {
				throw new DriverError("invalid_request", `attempt ${attemptId} is not over and cannot be forgotten; stop it first`);
			}
			this.#changes.unwatch(attemptId);
			await rm(known.paths.folder, { recursive: true, force: true });
			this.#attempts.drop(attemptId);
		});
	}

	subscribe(onChange: () => void): () => void {
		return this.#changes.subscribe(onChange);
	}

	async close({ stopJobs, graceMs }: { stopJobs: boolean; graceMs: number }): Promise<void> {
		await this.#startQueue;
		if (stopJobs) await this.#stopAll(graceMs);
		this.#closed = true;
		if (this.#lookAgain) clearTimeout(this.#lookAgain);
		this.#changes.close();
		for (const { paths } of await this.#attempts.all()) await abortHandOver(paths);
	}

	async #stopAll(graceMs: number): Promise<void> {
		const live = async () =>
			(await this.observe()).attempts.filter((a) => a.phase !== "exited" && a.phase !== "lost").map((a) => a.attemptId);
		const giveUpMs = performance.now() + graceMs + CLOSE_SLACK_MS;
		for (const attemptId of await live()) await this.stop(attemptId, graceMs);
		while ((await live()).length > 0 && performance.now() < giveUpMs) await sleep(LOOK_AGAIN_MS);
	}

	#lookAgainSoon(): void {
		this.#lookAgain ??= setTimeout(() => {
			this.#lookAgain = null;
			this.#changes.notify();
		}, LOOK_AGAIN_MS).unref();
	}
}

/** Converts file system errors to a DriverError: the outcome is unknown, and the call may be repeated. */
function isLive({ observation: { phase } }: KnownAttempt): boolean {
	return phase !== "exited" && phase !== "lost";
}

async function guarded<T>(what: string, run: () => Promise<T>): Promise<T> {
	try {
		return await run();
	} catch (cause) {
		if (cause instanceof DriverError) throw cause;
		const code = (cause as NodeJS.ErrnoException | null)?.code ?? null;
		const message = cause instanceof Error ? cause.message : String(cause);
		throw new DriverError("transient", `${what}: ${message}`, code === null ? { cause } : { cause, providerCode: code });
	}
}
