import { is } from "drizzle-orm";
import { PgTransaction } from "drizzle-orm/pg-core";
import type { z } from "zod";
import { actOnJobsInput } from "#server/contract/inputs/job.ts";
import { type ErrorCode, SpillwayError } from "#server/kernel/errors.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { cancelJob } from "./cancel.ts";
import { changePriority } from "./change-priority.ts";
import { holdJob, releaseJob } from "./hold.ts";
import { moveJob, stayJob } from "./move.ts";
import { resumeJob } from "./resume.ts";
import { retryJob } from "./retry.ts";

/** Each job has its own transaction; limited concurrency keeps the other connections free. */
const AT_ONCE = 4;

/** Result of a bulk action for one job. */
export interface JobActionResult {
	id: string;
	done: boolean;
	/** For `cancel`: false while the job still has to stop. */
	ended: boolean | null;
	/** For `retry`: id of the new job. */
	newJobId: string | null;
	/** For `set_priority`: the priority before, to undo the change. */
	priorityBefore: number | null;
	/** Why the action failed. */
	problem: { code: ErrorCode; message: string; fix: string | null } | null;
}

/**
 * Applies one action to many jobs, completely or not at all for each job, with one result per job in the given order. Authorized per job.
 * @throws SpillwayError `forbidden` when the caller may not act on any job; ZodError for other input
 */
export async function actOnJobs(ctx: ServiceContext, raw: z.input<typeof actOnJobsInput>): Promise<{ items: JobActionResult[] }> {
	teamScope(ctx, "job:cancel");
	const input = actOnJobsInput.parse(raw);
	const ids = [...new Set(input.ids)];
	// With an Idempotency-Key, all share one transaction, and its savepoints must not overlap.
	const atOnce = is(ctx.db, PgTransaction) ? 1 : AT_ONCE;
	const items: JobActionResult[] = [];
	for (let from = 0; from < ids.length; from += atOnce)
		items.push(...(await Promise.all(ids.slice(from, from + atOnce).map((id) => actOnJob(ctx, id, input)))));
	return { items };
}

type Input = z.output<typeof actOnJobsInput>;

async function actOnJob(ctx: ServiceContext, id: string, input: Input): Promise<JobActionResult> {
	const result = { id, done: true, ended: null, newJobId: null, priorityBefore: null, problem: null };
	try {
		return { ...result, ...(await act(ctx, id, input)) };
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		return { ...result, done: false, problem: { code: error.code, message: error.message, fix: error.fix ?? null } };
	}
}

async function act(ctx: ServiceContext, id: string, input: Input): Promise<Partial<JobActionResult>> {
	switch (input.action) {
		case "cancel":
			return { ended: (await cancelJob(ctx, id)).state === "cancelled" };
		case "hold":
			await holdJob(ctx, id);
			return {};
		case "release":
			await releaseJob(ctx, id);
			return {};
		case "move":
			await moveJob(ctx, id, input.to);
			return {};
		case "stay":
			await stayJob(ctx, id);
			return {};
		case "resume":
			await resumeJob(ctx, id);
			return {};
		case "retry":
			return { newJobId: (await retryJob(ctx, id)).id };
		case "set_priority":
			return { priorityBefore: (await changePriority(ctx, id, input.priority)).before };
	}
}
