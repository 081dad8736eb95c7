import { jobSchema } from "#server/contract/outputs/job.ts";
import { isFinal, JOB_TRANSITIONS } from "#server/domain/states.ts";
import { type Answer, readAs, UnreachableError } from "./client.ts";
import type { CommandContext } from "./command.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { count, duration, money, place } from "./render/format.ts";
import { styled, styleOfState } from "./render/style.ts";
import { clean } from "./render/table.ts";
import type { Job } from "./response-types.ts";

const LOOK_EVERY_MS = 500;
/** Jobs requested at the same time. */
const ASKED_AT_ONCE = 8;
/** Waits this long for a server restart; after that the watching ends, not the job. */
const UNREACHABLE_PATIENCE_MS = 60_000;

/**
 * Waits until all of these have ended, with their status on stderr.
 * @returns the last state of each, in order
 * @throws CliError `server` when it is unreachable for too long; `interrupted`
 */
export async function waitForJobs(ctx: CommandContext, ids: readonly string[]): Promise<Answer[]> {
	const answers = new Map<string, { answer: Answer; job: Job }>();
	const show = progressOf(ctx);
	let reachedMs = ctx.io.nowMs();
	try {
		for (;;) {
			const open = ids.filter((id) => !ended(answers.get(id)?.job));
			if (open.length === 0) return ids.flatMap((id) => answers.get(id)?.answer ?? []);
			try {
				for (let i = 0; i < open.length; i += ASKED_AT_ONCE) {
					await Promise.all(
						open.slice(i, i + ASKED_AT_ONCE).map(async (id) => {
							const answer = await ctx.client.get(`/jobs/${id}`);
							answers.set(id, { answer, job: readAs(jobSchema, answer, "job") });
						}),
					);
				}
				reachedMs = ctx.io.nowMs();
			} catch (error) {
				if (!(error instanceof UnreachableError) || ctx.io.nowMs() - reachedMs > UNREACHABLE_PATIENCE_MS) throw error;
			}
			show.draw([...answers.values()].map((a) => a.job));
			if (ids.some((id) => !ended(answers.get(id)?.job))) await ctx.io.sleep(LOOK_EVERY_MS);
			if (ctx.io.signal.aborted)
				throw new CliError(
					EXIT.interrupted,
					`Interrupted; ${count(ids.length, "job")} ${ids.length === 1 ? "goes" : "go"} on: ${ids.slice(0, 3).join(" ")}`,
				);
		}
	} finally {
		show.clear();
	}
}

const ended = (job: Job | undefined): boolean => job !== undefined && isFinal(JOB_TRANSITIONS, job.state);

/** One line that is redrawn on a terminal; elsewhere one line per change. */
function progressOf({ io, json }: CommandContext): { draw(jobs: readonly Job[]): void; clear(): void } {
	let last = "";
	return {
		draw(jobs) {
			const line = progressLine(jobs);
			if (io.progress) io.err(`\r\u001b[2K${styled(io, "dim", `${line}${elapsed(jobs, io.nowMs())}`.slice(0, (io.columns ?? 80) - 1))}`);
			else if (line !== last && !json) io.err(`${line}\n`);
			last = line;
		},
		clear() {
			if (io.progress) io.err("\r\u001b[2K");
		},
	};
}

export function progressLine(jobs: readonly Job[]): string {
	const [only] = jobs;
	if (!only) return "reading the job";
	if (jobs.length > 1) {
		const states = Map.groupBy(jobs, (j) => j.state);
		return [...states].map(([state, list]) => `${list.length} ${state}`).join(", ");
	}
	const at = only.placement && !ended(only) ? ` at ${place(only.placement)}` : "";
	const attempt = only.attempts > 1 ? `, attempt ${only.attempts}` : "";
	const why = only.state === "queued" || only.state === "held" ? `: ${only.reason.message}` : "";
	return clean(`${only.name} ${only.state}${at}${attempt}${why}`);
}

function elapsed(jobs: readonly Job[], nowMs: number): string {
	const first = Math.min(...jobs.map((j) => Date.parse(j.submittedAt)));
	return Number.isFinite(first) ? `, ${duration(nowMs - first)} since submission` : "";
}

/** The outcome in one line: `lang-6 succeeded after 37s, 3 attempts, $0.0117 metered so far  Finished: …` */
export function outcomeLine(ctx: CommandContext, job: Job): string {
	const took = job.finishedAt === null ? "" : ` after ${duration(Date.parse(job.finishedAt) - Date.parse(job.submittedAt))}`;
	const attempt = job.attempts > 1 ? `, ${count(job.attempts, "attempt")}` : "";
	const state = styled(ctx.io, styleOfState(job.state), job.state);
	// The meter runs every few seconds, so right after the end a cost is incomplete, and no cost is not $0.00.
	const cost = job.costMicroUsd === "0" ? "" : `, ${money(job.costMicroUsd)} metered so far`;
	return `${job.id}  ${clean(job.name)}  ${state}${took}${attempt}${cost}  ${clean(job.reason.message)}\n`;
}

export function exitOfJobs(jobs: readonly Job[]): ExitCode {
	return jobs.every((j) => j.state === "succeeded") ? EXIT.done : EXIT.jobFailed;
}
