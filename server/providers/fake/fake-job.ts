import type { ClusterWait } from "#server/domain/cluster-wait.ts";
import type { AttemptObservation, StartAttempt } from "../driver.ts";

export type FakeExit = NonNullable<AttemptObservation["exit"]>;

/** Behavior of a job on the fake cluster. Times count from the end of staging. */
export interface FakeJob {
	stageMs: number;
	/** Why the cluster lets it wait until then. */
	waitsFor?: ClusterWait;
	/** null: until it is stopped. */
	runMs: number | null;
	exit: FakeExit;
	onTerm: { kind: "die" } | { kind: "ignore" } | { kind: "exit"; code: number; afterMs: number };
	stdout: string[];
	stderr: string[];
}

const MINUTE_MS = 60_000;

/** Default behavior of an unscripted job: its estimated length (one minute without an estimate), then exit code 0. */
export function defaultFakeJob(request: StartAttempt): FakeJob {
	return {
		stageMs: 0,
		runMs: request.spec.duration.estimateMs ?? MINUTE_MS,
		exit: { code: 0, signal: null, error: null },
		onTerm: { kind: "die" },
		stdout: [],
		stderr: [],
	};
}

export interface FakeAttempt {
	request: StartAttempt;
	job: FakeJob;
	stagedAtMs: number;
	stopAskedAtMs: number | null;
	/** When and how it ends as currently planned; atMs null: never. */
	end: { atMs: number | null; exit: FakeExit | null };
}

export function newAttempt(request: StartAttempt, job: FakeJob, nowMs: number): FakeAttempt {
	const stagedAtMs = nowMs + job.stageMs;
	const neverRan = job.exit.error !== null;
	const endMs = neverRan ? stagedAtMs : job.runMs === null ? null : stagedAtMs + job.runMs;
	return { request, job, stagedAtMs, stopAskedAtMs: null, end: { atMs: endMs, exit: job.exit } };
}

export function isOver(attempt: FakeAttempt, nowMs: number): boolean {
	return attempt.end.atMs !== null && attempt.end.atMs <= nowMs;
}

/** Plans the end caused by a stop, unless an earlier one is planned. */
export function requestStop(attempt: FakeAttempt, nowMs: number, graceMs: number): void {
	attempt.stopAskedAtMs ??= nowMs;
	const killed: FakeExit = { code: null, signal: "SIGKILL", error: null };
	const { onTerm } = attempt.job;
	if (nowMs < attempt.stagedAtMs || onTerm.kind === "die") endAt(attempt, nowMs, { code: null, signal: "SIGTERM", error: null });
	if (onTerm.kind === "exit") endAt(attempt, nowMs + onTerm.afterMs, { code: onTerm.code, signal: null, error: null });
	endAt(attempt, nowMs + graceMs, killed);
}

/** `exit` null: the process no longer exists and its exit is unknown. */
export function endAt(attempt: FakeAttempt, atMs: number, exit: FakeExit | null): void {
	if (attempt.end.atMs === null || atMs < attempt.end.atMs) attempt.end = { atMs, exit };
}

export function observeAttempt(attempt: FakeAttempt, nowMs: number): AttemptObservation {
	const { request, end } = attempt;
	const over = isOver(attempt, nowMs);
	const ran = attempt.stagedAtMs <= Math.min(nowMs, end.atMs ?? nowMs) && (end.exit?.error ?? null) === null;
	return {
		attemptId: request.attemptId,
		phase: over ? (end.exit ? "exited" : "lost") : attempt.stopAskedAtMs !== null ? "stopping" : ran ? "running" : "staging",
		slots: [...request.slots],
		clusterWait: !over && nowMs < attempt.stagedAtMs ? (attempt.job.waitsFor ?? null) : null,
		startedAtMs: ran ? attempt.stagedAtMs : null,
		finishedAtMs: over ? end.atMs : null,
		exit: over ? end.exit : null,
	};
}
