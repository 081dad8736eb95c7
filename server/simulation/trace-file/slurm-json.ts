import { z } from "zod";
import { SECOND_MS } from "#server/kernel/units.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import { gpusOf, requestedModels } from "./parse-sacct.ts";
import { BadRow, TRACE_LIMITS, UNKNOWN_TEAM } from "./trace-rows.ts";
import type { RowInput } from "./types.ts";

/** A number, or Slurm's `{ set, infinite, number }` with 0 where none is set. */
const slurmNumber = z
	.union([z.number(), z.object({ set: z.boolean().default(true), infinite: z.boolean().default(false), number: z.number().default(0) })])
	.nullish()
	.transform((value) =>
		typeof value === "object" && value !== null ? (value.set && !value.infinite ? value.number : null) : (value ?? null),
	);
const seconds = slurmNumber.refine((value) => value === null || (value >= 0 && value <= TRACE_LIMITS.seconds), "is not a time in seconds");
const words = z.union([z.string().transform((word) => [word]), z.array(z.string())]).nullish();
const tresList = z.array(z.object({ type: z.string(), name: z.string().nullish(), count: z.number() })).nullish();

/** Fields of slurmdbd (`time`, `tres`, `state.current`; also sacct --json) and of slurmctld (`submit_time`, `tres_alloc_str`, `job_state`). */
const schema = z.object({
	job_id: z.union([z.number().int(), z.string().min(1).max(200)]),
	account: z.string().nullish(),
	user: z.string().nullish(),
	user_name: z.string().nullish(),
	time: z.object({ submission: seconds, start: seconds, end: seconds, elapsed: seconds, limit: slurmNumber }).nullish(),
	...{ submit_time: seconds, start_time: seconds, end_time: seconds, time_limit: slurmNumber },
	state: z.object({ current: words }).nullish(),
	job_state: words,
	tres: z.object({ allocated: tresList, requested: tresList }).nullish(),
	...{ tres_alloc_str: z.string().nullish(), tres_req_str: z.string().nullish() },
});
type SlurmJob = z.output<typeof schema>;

/** One job of Slurm's REST API. null: it has no GPUs or never started. */
export function slurmJob(raw: unknown, { notes, named }: Pick<RowInput, "notes" | "named">): TraceJob | null {
	const job = schema.parse(raw);
	const requested = job.tres_req_str || tresText(job.tres?.requested);
	const tres = job.tres_alloc_str || tresText(job.tres?.allocated) || requested;
	const { gpus, sliced } = gpusOf(tres);
	if (gpus === 0) {
		notes.withoutGpus++;
		return null;
	}
	const status = job.state?.current?.[0] ?? job.job_state?.[0] ?? null;
	const isRunning = /^(RUNNING|SUSPENDED|COMPLETING)/i.test(status ?? "");
	const startS = job.time?.start ?? job.start_time;
	const runS = runSeconds(job, startS, isRunning);
	if (runS === 0) {
		notes.neverStarted++;
		return null;
	}
	const submitS = job.time?.submission ?? job.submit_time;
	if (!submitS) throw new BadRow("time.submission", "The submission time is missing.", "Leave such jobs out.");
	if (sliced) notes.fractionsRoundedUp++;
	if (isRunning) notes.stillRunning++;
	const limitMinutes = job.time?.limit ?? job.time_limit;
	return {
		...{ id: String(job.job_id), submitMs: submitS * SECOND_MS, durationMs: runS * SECOND_MS, gpus },
		...{ team: job.account || UNKNOWN_TEAM, user: job.user || job.user_name || null },
		accelerators: named(requestedModels(requested || tres)),
		...{ deadlineMs: null, deadlineKind: null, status, limitMs: limitMinutes === null ? null : limitMinutes * 60 * SECOND_MS },
		...(startS && { waitMs: Math.max(0, startS - submitS) * SECOND_MS }),
	};
}

/** slurmctld gives the planned end of a running job, which is no run time. */
function runSeconds(job: SlurmJob, startS: number | null, isRunning: boolean): number {
	const elapsed = job.time?.elapsed;
	if (typeof elapsed === "number") return elapsed;
	if (isRunning)
		throw new BadRow("end_time", "The job still runs, and its elapsed time is missing.", "Use slurmdbd's jobs (GET /slurmdb/…/jobs).");
	const endS = job.time?.end ?? job.end_time;
	if (!startS || !endS) return 0;
	if (endS < startS) throw new BadRow("end_time", "The end is before the start.", "Leave such jobs out.");
	return endS - startS;
}

function tresText(list: z.output<typeof tresList>): string {
	return (list ?? []).map(({ type, name, count }) => `${type}${name ? `/${name}` : ""}=${count}`).join(",");
}
