import { defined } from "#server/kernel/assert.ts";
import { type AttemptFolder, type StoredRequest, writeRequest } from "./attempt-folder.ts";
import { type AttemptStage, readStage } from "./observe-attempt.ts";
import { identify, isAlive } from "./process-identity.ts";
import { type LocalSite, runAttempt, startCommand } from "./run-attempt.ts";

/** A supervisor reports its identity within milliseconds; if it has not after this time, another one is started. */
const SUPERVISOR_SILENT_MS = 2_000;

/** Attempts that this process is currently starting, by folder, whichever driver object began it. */
const inFlight = new Map<string, { abort: AbortController; done: Promise<void> }>();

/**
 * Writes the request, then stages the attempt's data and starts its command. Once `written` resolves, any later scheduler
 * continues it.
 */
export function startAttempt(
	site: LocalSite,
	paths: AttemptFolder,
	request: Omit<StoredRequest, "stager">,
): { written: Promise<void>; done: Promise<void> } {
	const abort = new AbortController();
	// Before the first await, so that concurrent observers leave it to this process.
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

/** Continues an attempt that a dead scheduler left without a process. Returns before its data is staged. */
export async function carryOn(
	site: LocalSite,
	paths: AttemptFolder,
	request: StoredRequest,
	stage: Extract<AttemptStage, { kind: "before" }>,
): Promise<void> {
	if (inFlight.has(paths.folder)) return;
	// The state may have been read before our own start finished, so only an unchanged one may be started again.
	const now = await readStage(paths);
	if (now.kind !== "before" || now.handedOverAtMs !== stage.handedOverAtMs) return;
	if (stage.handedOverAtMs !== null) {
		// If the first supervisor arrives late, the second one exits immediately.
		if (Date.now() - stage.handedOverAtMs > SUPERVISOR_SILENT_MS) await startCommand(site, paths, request);
		return;
	}
	if (request.stager.pid !== process.pid && (await isAlive(request.stager))) return;
	if (!inFlight.has(paths.folder)) await startAttempt(site, paths, request).written;
}
