import path from "node:path";
import { jobEnvironment } from "#server/agent/job-environment.ts";
import { outputFoldersOf, outputPathsOf } from "#server/agent/output-files.ts";
import type { DeliveredSecrets } from "#server/domain/job-secret.ts";
import { mountPathOf } from "#server/domain/site-mount.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { createdNothing, DriverError } from "../driver-errors.ts";
import { hasSecretEnvironment, secretsFolderOf, writeSecrets } from "../local/attempt-secrets.ts";
import { bringData, checkpointFolderOf } from "../local/bring-data.ts";
import { writeFailure, writeStoppedBefore } from "../local/observe-attempt.ts";
import { needsStaging } from "../local/run-attempt.ts";
import { mountsOfJob } from "../start-rules.ts";
import {
	createFolder,
	createStateFolder,
	isThere,
	readFacts,
	readRequest,
	readSubmittingAtMs,
	rewriteRequest,
	type SlurmPaths,
	type StoredRequest,
	writeFirstNote,
	writeFirstRequest,
} from "./attempt-files.ts";
import type { SlurmCalls } from "./client.ts";
import { containedCommand } from "./container.ts";
import { exportsOf, launchScript } from "./launch-script.ts";
import { limitConcurrency } from "./limit-concurrency.ts";
import { isOver } from "./mapper.ts";
import type { SlurmPool } from "./pools.ts";
import type { ParsedSlurmSettings } from "./settings.ts";
import { jobNameOf, submissionOf } from "./submission.ts";
import { sharedSupervisor } from "./supervisor.ts";

/** Folders of the site's own programs; the system's folders come after them. */
const NODE_PROGRAMS = "/usr/local/bin";

export interface HandOverContext {
	settings: ParsedSlurmSettings;
	calls: SlurmCalls;
	clock: Clock;
	/** @throws DriverError invalid_request if no such pool exists (any more) */
	pool(poolId: string): Promise<SlurmPool>;
}

/** The number of connections up to which slurmrestd gets faster. The controller has other users. */
const SUBMISSIONS_AT_ONCE = 8;
const submitting = limitConcurrency(SUBMISSIONS_AT_ONCE);

/** Attempts that this process is currently submitting, by folder, whichever driver object began it. */
const inFlight = new Map<string, { abort: AbortController; done: Promise<void> }>();

/** Stages an attempt's data and submits it. Rejects with the submission's error; an earlier failure becomes the attempt's end. */
export function submitAttempt(ctx: HandOverContext, paths: SlurmPaths, request: StoredRequest): Promise<void> {
	return inFlight.get(paths.folder)?.done ?? begin(paths, (signal) => goOn(ctx, paths, request, signal));
}

/**
 * The same for an attempt without any files yet. It is in flight when this returns, and certain to be known once `written`
 * resolves.
 */
export function submitNewAttempt(
	ctx: HandOverContext,
	paths: SlurmPaths,
	request: StoredRequest,
	secrets: DeliveredSecrets | undefined,
): { written: Promise<void>; done: Promise<void> } {
	const stages = needsStaging(request);
	const nowMs = ctx.clock.nowMs();
	/** Created by another process, or by one that died. */
	let wasThere = false;
	const write = async () => {
		wasThere = !(await createFolder(paths));
		// An attempt with nothing to stage may be sent from now on. One with an unreadable request may have been sent before its host
		// died.
		if (wasThere && (await readRequest(paths)) !== null) return;
		if (secrets) await writeSecrets(paths, secrets, exportsOf);
		await writeFirstRequest(paths, request, stages ? null : nowMs);
	};
	const written = write();
	const done = begin(paths, async (signal) => {
		await written;
		if (wasThere) return takeOver(ctx, paths, request, signal);
		if (!stages) await submit(ctx, paths, request, signal, nowMs);
		else if (await stage(ctx, paths, request, signal)) await submit(ctx, paths, request, signal, null);
	});
	return { written, done };
}

/** Continues an attempt with an existing folder. */
async function takeOver(ctx: HandOverContext, paths: SlurmPaths, request: StoredRequest, signal: AbortSignal): Promise<void> {
	const stored = (await readRequest(paths)) ?? request;
	const { note, exit } = await readFacts(paths, stored);
	if (note === null && exit === null) await goOn(ctx, paths, stored, signal);
}

function begin(paths: SlurmPaths, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
	const abort = new AbortController();
	const done = run(abort.signal).finally(() => inFlight.delete(paths.folder));
	inFlight.set(paths.folder, { abort, done });
	done.catch(() => {});
	return done;
}

/** Ends the staging of an attempt and waits until its submission, if one is in progress, has an outcome. */
export async function endHandOver(paths: SlurmPaths): Promise<void> {
	const running = inFlight.get(paths.folder);
	running?.abort.abort();
	await running?.done.catch(() => {});
}

/** Ends all staging by this process below a folder; the next process starts it again. */
export async function endHandOvers(root: string): Promise<void> {
	const ours = [...inFlight].filter(([folder]) => path.dirname(folder) === path.resolve(root));
	for (const [, { abort }] of ours) abort.abort();
	await Promise.allSettled(ours.map(([, { done }]) => done));
}

/**
 * Continues an attempt that was not submitted yet, in the background: after a scheduler died, or after Slurm did not respond. A
 * definite rejection becomes the attempt's end.
 */
export function carryOn(ctx: HandOverContext, paths: SlurmPaths, request: StoredRequest): void {
	submitAttempt(ctx, paths, request).catch(async (error: unknown) => {
		if (!(error instanceof DriverError) || error.kind === "unauthorized" || !createdNothing(error.kind)) return;
		await endBefore(paths, { error: error.message, failedAt: "start" }).catch(() => {});
	});
}

async function goOn(ctx: HandOverContext, paths: SlurmPaths, request: StoredRequest, signal: AbortSignal): Promise<void> {
	const submittingAtMs = await readSubmittingAtMs(paths);
	if (submittingAtMs !== null) {
		const known = await findSubmitted(ctx, request, submittingAtMs);
		if (known !== null) return writeFirstNote(paths, known);
	} else if (needsStaging(request) && !(await stage(ctx, paths, request, signal))) return;
	if (await isThere(paths.stop)) return writeStoppedBefore(paths);
	await submit(ctx, paths, request, signal, null);
}

async function endBefore(paths: SlurmPaths, failure: Parameters<typeof writeFailure>[1]): Promise<void> {
	await createStateFolder(paths);
	await writeFailure(paths, failure);
}

/** Returns whether the attempt can continue. If not, it has ended, or the next driver starts it again. */
async function stage(ctx: HandOverContext, paths: SlurmPaths, request: StoredRequest, signal: AbortSignal): Promise<boolean> {
	try {
		const { dataRemotes, cache } = ctx.settings;
		await bringData({ place: "the Slurm site", keepsOwn: true, dataRemotes, cache }, paths, request, signal);
		return true;
	} catch (error) {
		if (await isThere(paths.stop)) await writeStoppedBefore(paths);
		// The driver was closed: the next one starts again.
		else if (!signal.aborted)
			await endBefore(paths, { error: error instanceof Error ? error.message : String(error), failedAt: "staging" });
		return false;
	}
}

/** The job of a submission with a lost response. A later job number also shows that the attempt has run. */
async function findSubmitted(
	ctx: HandOverContext,
	{ attemptId }: StoredRequest,
	submittedAtMs: number,
): Promise<{ slurmJobId: number; submittedAtMs: number } | null> {
	const ours = (await ctx.calls.jobs()).filter((j) => j.name === jobNameOf(attemptId) && j.user === ctx.settings.user);
	const found = ours.find((j) => !isOver(j.state)) ?? ours.at(-1);
	return found ? { slurmJobId: found.id, submittedAtMs } : null;
}

/** `sinceMs`: when the intent to send was recorded; null: it is not recorded yet. */
async function submit(
	ctx: HandOverContext,
	paths: SlurmPaths,
	request: StoredRequest,
	signal: AbortSignal,
	sinceMs: number | null,
): Promise<void> {
	const { settings, calls } = ctx;
	const { attemptId, spec, poolId } = request;
	const pool = await ctx.pool(poolId);
	const version = await calls.version();
	const mounts = mountsOfJob(spec, settings.mounts, "the Slurm site");
	const argv = containedCommand({ spec, container: settings.container, folder: paths.folder, work: paths.work, mounts });
	const mustExist = spec.image === null ? (spec.command[0] ?? null) : null;
	const supervisor = await sharedSupervisor(settings.folder);
	// If data was staged, it is in place.
	const folders = needsStaging(request)
		? [paths.state]
		: [paths.state, paths.work, paths.tmp, checkpointFolderOf(paths, spec), ...outputFoldersOf(paths.work, spec.outputs)];
	const body = submissionOf(version, {
		...{ attemptId, spec, pool, settings, environment: environmentOf(paths, request, { ...settings, mounts }) },
		script: launchScript({
			paths,
			files: paths.launch,
			folders,
			supervisor,
			argv,
			mustExist,
			mounts,
			secretEnvironment: hasSecretEnvironment(spec),
		}),
		...{ folder: paths.folder, slurmLog: paths.launch.slurmLog },
	});
	const submittedAtMs = sinceMs ?? ctx.clock.nowMs();
	if (sinceMs === null) await rewriteRequest(paths, request, submittedAtMs);
	const slurmJobId = await submitting(async () => {
		// A stop first writes its file and then aborts this.
		if (signal.aborted && (await isThere(paths.stop))) return null;
		try {
			return await calls.submit(body);
		} catch (error) {
			if (error instanceof DriverError && createdNothing(error.kind)) await rewriteRequest(paths, request, null);
			throw error;
		}
	});
	await (slurmJobId === null ? writeStoppedBefore(paths) : writeFirstNote(paths, { slurmJobId, submittedAtMs }));
}

/** Slurm itself sets the job's GPUs in CUDA_VISIBLE_DEVICES. */
function environmentOf(
	paths: SlurmPaths,
	{ jobId, attemptNo, spec }: StoredRequest,
	{ container, folder, mounts }: ParsedSlurmSettings,
): Record<string, string> {
	// Its default is below HOME, which differs per attempt, so each would pull and unpack the image again.
	const images: Record<string, string> = container === "apptainer" ? { APPTAINER_CACHEDIR: path.join(folder, "apptainer-cache") } : {};
	const { CUDA_VISIBLE_DEVICES: _, ...environment } = jobEnvironment({
		jobId,
		attemptNo,
		env: { ...images, ...spec.env },
		workFolder: paths.work,
		checkpointFolder: checkpointFolderOf(paths, spec),
		outputPaths: outputPathsOf(paths.work, spec.outputs),
		mountFolders: Object.fromEntries(mounts.map(({ name, source }) => [name, spec.image === null ? source : mountPathOf(name)])),
		tmpFolder: paths.tmp,
		secretsFolder: secretsFolderOf(paths, spec),
		gpus: [],
		nodeFolder: NODE_PROGRAMS,
	});
	return environment;
}
