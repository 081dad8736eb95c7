import { defined } from "#server/kernel/assert.ts";
import { type AttemptFolder, type StoredRequest, writeRequest } from "./attempt-folder.ts";
import { type AttemptStage, readStage } from "./observe-attempt.ts";
import { identify, isAlive } from "./process-identity.ts";
import { type LocalSite, runAttempt, startCommand } from "./run-attempt.ts";

/** A supervisor says who it is within milliseconds; after this long without a word another one is sent. */
const SUPERVISOR_SILENT_MS = 2_000;

/** Attempts that this process brings to their start now, by folder, whichever driver object began it. */
const inFlight = new Map<string, { abort: AbortController; done: Promise<void> }>();

/**
 * Writes the request down, then brings the attempt's data and starts its command. `written` is the moment from which
 * any later scheduler carries it on.
 */
export function handOver(
	site: LocalSite,
	paths: AttemptFolder,
	request: Omit<StoredRequest, "stager">,
): { written: Promise<void>; done: Promise<void> } {
	const abort = new AbortController();
	// Before the first await: anyone who observes from now on leaves it to us.
	const written = writeDown(paths, request);
	const done = written.then((stored) => runAttempt(site, paths, stored, abort.signal)).finally(() => inFlight.delete(paths.folder));
	inFlight.set(paths.folder, { abort, done });
	done.catch(() => {});
	return { written: written.then(() => {}), done };
}

async function writeDown(paths: AttemptFolder, request: Omit<StoredRequest, "stager">): Promise<StoredRequest> {
	const stored = { ...request, stager: defined(await identify(process.pid), "this process") };
	await writeRequest(paths, stored);
	return stored;
}

export function abortHandOver(paths: AttemptFolder): Promise<void> {
	const running = inFlight.get(paths.folder);
	running?.abort.abort();
	return running?.done.catch(() => {}) ?? Promise.resolve();
}

/** Goes on where a scheduler that died left an attempt that has no process yet. Returns before its data is there. */
export async function carryOn(
	site: LocalSite,
	paths: AttemptFolder,
	request: StoredRequest,
	stage: Extract<AttemptStage, { kind: "before" }>,
): Promise<void> {
	if (inFlight.has(paths.folder)) return;
	// The read state may be older than the end of our hand-over: only what is still unchanged may be started again.
	const now = await readStage(paths);
	if (now.kind !== "before" || now.handedOverAtMs !== stage.handedOverAtMs) return;
	if (stage.handedOverAtMs !== null) {
		// Should the first one still come, anyone who is second leaves at once.
		if (Date.now() - stage.handedOverAtMs > SUPERVISOR_SILENT_MS) await startCommand(site, paths, request);
		return;
	}
	if (request.stager.pid !== process.pid && (await isAlive(request.stager))) return;
	if (!inFlight.has(paths.folder)) await handOver(site, paths, request).written;
}
