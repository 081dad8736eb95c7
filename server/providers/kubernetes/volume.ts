import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { CachedSet } from "#server/agent/data-cache.ts";
import { placeUnder, StagingError } from "#server/agent/safe-path.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { SiteCache } from "#server/domain/site-cache.ts";
import { defined } from "#server/kernel/assert.ts";
import { Absences } from "../absences.ts";
import type { AttemptObservation, StartAttempt } from "../driver.ts";
import { createdNothing, DriverError } from "../driver-errors.ts";
import {
	type AttemptFolder,
	attemptFolder,
	isMissing,
	readIfThere,
	readRequest,
	readRequestSync,
	type StoredRequest,
	writeRequest,
	writeWhole,
} from "../local/attempt-folder.ts";
import { bringData, checkpointFolderOf, dataCacheOf } from "../local/bring-data.ts";
import { parseExit, writeFailure, writeStoppedBefore } from "../local/observe-attempt.ts";
import { identify } from "../local/process-identity.ts";
import { needsStaging } from "../local/run-attempt.ts";
import { isAttemptId } from "../start-rules.ts";
import type { ManifestInput } from "./manifest.ts";
import type { ParsedKubernetesSettings } from "./settings.ts";

/** How long responses must omit a submitted attempt until it counts as lost. */
const ABSENT_MS = 30_000;

type Submit = (request: StartAttempt) => Promise<void>;

/**
 * The site's volume as this host sees it: a folder per attempt, with its data, its checkpoints, and, until the cluster has it,
 * the request. If a scheduler dies while staging data, the next one continues.
 */
export class SiteVolume {
	readonly #root: string;
	readonly #mountPath: string;
	readonly #dataRemotes: string | undefined;
	readonly #cache: SiteCache | undefined;
	readonly #submit: Submit;
	readonly #absences = new Absences();
	/** Attempts that this process is staging or submitting. */
	readonly #inFlight = new Map<string, { abort: AbortController; done: Promise<void> }>();

	constructor({ folder, mountPath, dataRemotes }: NonNullable<ParsedKubernetesSettings["volume"]>, submit: Submit, cache?: SiteCache) {
		this.#cache = cache;
		this.#dataRemotes = dataRemotes;
		this.#root = folder;
		this.#mountPath = mountPath;
		this.#submit = submit;
	}

	/** Where pods see the volume. Absolute paths of the job file are also mounted there under their own names. */
	folders(attemptId: string, spec: JobSpec): NonNullable<ManifestInput["folders"]> {
		const paths = this.#paths(attemptId);
		const seen = (folder: string) => path.posix.join(this.#mountPath, path.relative(this.#root, folder));
		const named = [
			...(spec.checkpoint ? [spec.checkpoint.path] : []),
			...spec.data.map((d) => d.mount),
			...(spec.outputs ?? []).map((o) => o.path),
		];
		const mounts = named.filter((p) => path.isAbsolute(p)).map((p) => ({ path: p, folder: seen(placeUnder(paths.work, p)) }));
		return { attempt: seen(paths.folder), checkpoints: seen(checkpointFolderOf(paths, spec)), mounts };
	}

	cachedData(): Promise<CachedSet[]> {
		return dataCacheOf(this.#root, this.#cache).list();
	}

	workFolder(attemptId: string): string {
		return this.#paths(attemptId).work;
	}

	checkpointFolder(attemptId: string): string | null {
		const request = readRequestSync(this.#paths(attemptId));
		return request && checkpointFolderOf(this.#paths(attemptId), request.spec);
	}

	hasSecrets(attemptId: string): boolean {
		return (readRequestSync(this.#paths(attemptId))?.spec.secrets ?? []).length > 0;
	}

	/** Whether the attempt was accepted before. */
	async knows(attemptId: string): Promise<boolean> {
		return (await readRequest(this.#paths(attemptId))) !== null;
	}

	/** Stages the attempt's data and submits it, in the background if there is data. */
	async handOver(request: Omit<StartAttempt, "secrets">): Promise<void> {
		const paths = this.#paths(request.attemptId);
		const stored = { ...request, stager: defined(await identify(process.pid), "this process") };
		await writeRequest(paths, stored);
		const done = this.#bring(paths, stored);
		if (needsStaging(request)) return;
		await done.catch(async (error: unknown) => {
			// A rejected attempt leaves nothing behind; one without a response yet is continued.
			if (error instanceof DriverError && createdNothing(error.kind)) await this.forget(request.attemptId);
			throw error;
		});
	}

	/**
	 * Attempts that the cluster does not show: not submitted yet, already over, or lost. Unfinished ones are continued. A submitted
	 * attempt that one response omits is not reported: its state is unknown.
	 */
	async others(shown: ReadonlySet<string>, nowMs: number): Promise<{ observation: AttemptObservation; poolId: string }[]> {
		const names = (await readdir(this.#root)).filter((name) => isAttemptId(name) && !shown.has(name));
		for (const attemptId of shown) this.#absences.clear(attemptId);
		const found = await Promise.all(names.map((name) => this.#one(this.#paths(name), nowMs)));
		return found.filter((one) => one !== null);
	}

	/** Ends the staging of an attempt. Returns whether it never reached the cluster. */
	async stop(attemptId: string): Promise<void> {
		const paths = this.#paths(attemptId);
		if (!(await this.knows(attemptId)) || (await readIfThere(paths.handed)) !== null) return;
		await writeWhole(paths.stop, "");
		const running = this.#inFlight.get(attemptId);
		running?.abort.abort();
		await running?.done.catch(() => {});
		if ((await readIfThere(paths.handed)) === null && (await readIfThere(paths.exit)) === null) await writeStoppedBefore(paths);
	}

	async forget(attemptId: string): Promise<void> {
		this.#absences.clear(attemptId);
		await rm(this.#paths(attemptId).folder, { recursive: true, force: true });
	}

	/** The next process starts the staging again. */
	async close(): Promise<void> {
		for (const { abort } of this.#inFlight.values()) abort.abort();
		await Promise.allSettled([...this.#inFlight.values()].map(({ done }) => done));
	}

	#paths(attemptId: string): AttemptFolder {
		return attemptFolder(this.#root, attemptId);
	}

	async #one(paths: AttemptFolder, nowMs: number): Promise<{ observation: AttemptObservation; poolId: string } | null> {
		const request = await readRequest(paths);
		if (!request) return null;
		const { attemptId, slots, poolId } = request;
		const none = { attemptId, slots, clusterWait: null, startedAtMs: null, finishedAtMs: null, exit: null };
		const exit = (await readIfThere(paths.exit))?.trim();
		if (exit) return { observation: { ...none, phase: "exited", finishedAtMs: nowMs, exit: parseExit(exit) }, poolId };
		if ((await readIfThere(paths.handed)) !== null) {
			const isLost = this.#absences.leftOut(attemptId, { nowMs, forMs: ABSENT_MS });
			return isLost ? { observation: { ...none, phase: "lost", finishedAtMs: nowMs }, poolId } : null;
		}
		if (!this.#inFlight.has(attemptId)) this.#carryOn(paths, request);
		return { observation: { ...none, phase: (await readIfThere(paths.stop)) === null ? "staging" : "stopping" }, poolId };
	}

	#carryOn(paths: AttemptFolder, request: StoredRequest): void {
		this.#bring(paths, request).catch(async (error: unknown) => {
			if (!(error instanceof DriverError) || error.kind === "unauthorized" || !createdNothing(error.kind)) return;
			await writeFailure(paths, { error: error.message, failedAt: "start" }).catch(() => {});
		});
	}

	#bring(paths: AttemptFolder, request: StoredRequest): Promise<void> {
		const abort = new AbortController();
		const { attemptId } = request;
		const done = this.#stageAndSubmit(paths, request, abort.signal).finally(() => this.#inFlight.delete(attemptId));
		this.#inFlight.set(attemptId, { abort, done });
		done.catch(() => {});
		return done;
	}

	async #stageAndSubmit(paths: AttemptFolder, request: StoredRequest, signal: AbortSignal): Promise<void> {
		try {
			const site = { place: "the Kubernetes site", keepsOwn: true, dataRemotes: this.#dataRemotes, cache: this.#cache };
			await bringData(site, paths, request, signal);
		} catch (error) {
			if ((await readIfThere(paths.stop)) !== null) return writeStoppedBefore(paths);
			if (signal.aborted) return;
			return writeFailure(paths, { error: error instanceof Error ? error.message : String(error), failedAt: "staging" });
		}
		if ((await readIfThere(paths.stop)) !== null) return writeStoppedBefore(paths);
		await this.#submit(request);
		await writeWhole(paths.handed, "");
	}
}

/** @throws DriverError transient if the volume is not mounted */
export function volumeError(error: unknown, folder: string): DriverError {
	if (error instanceof DriverError) return error;
	if (error instanceof StagingError) return new DriverError("invalid_request", error.message, { cause: error });
	const { path: missing } = (error ?? {}) as NodeJS.ErrnoException;
	const words = isMissing(error) && missing === folder ? `the site's volume ${folder} does not exist; mount or create it` : String(error);
	return new DriverError("transient", `Kubernetes: ${words}`, { cause: error });
}
