import { asc, desc, eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { Placement } from "#server/domain/capacity.ts";
import { type ClusterWait, clusterWaitSentence } from "#server/domain/cluster-wait.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { AttemptState } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { type InstanceView, instanceView } from "../instance/view.ts";
import { type JobOrigin, originOf } from "./origin.ts";
import { iso, type JobRow, type JobView, jobView, type ReasonView, reasonView } from "./view.ts";

export interface AttemptView {
	id: string;
	number: number;
	state: AttemptState;
	placement: Placement;
	gpus: number;
	slots: number[];
	createdAt: string;
	stagingAt: string | null;
	startedAt: string | null;
	stopRequestedAt: string | null;
	finishedAt: string | null;
	reason: ReasonView | null;
	exitCode: number | null;
	exitSignal: string | null;
	logLines: number;
	/** Why the site's own scheduler lets it wait, while it does. */
	clusterWait: (ClusterWait & { message: string }) | null;
}

export interface CheckpointView {
	id: string;
	attemptId: string;
	createdAt: string;
	files: number;
	bytes: number;
	completedMs: number;
}

export interface JobDetail extends JobView, JobOrigin {
	spec: JobSpec;
	submittedBy: string;
	attemptList: AttemptView[];
	instances: InstanceView[];
	checkpoints: CheckpointView[];
}

function waitView({ state, clusterWait }: typeof attempt.$inferSelect): AttemptView["clusterWait"] {
	if (clusterWait === null || (state !== "starting" && state !== "staging")) return null;
	return { ...clusterWait, message: clusterWaitSentence(clusterWait) };
}

/** @throws SpillwayError `not_found`, also for a job of somebody else's team: its existence is not told. */
export async function readableJob(ctx: ServiceContext, jobId: string, db: DbOrTx = ctx.db): Promise<JobRow> {
	const [row] = await db.select().from(job).where(eq(job.id, jobId));
	try {
		if (row) authorize(ctx, "job:read", row.team);
	} catch {
		throw notFound(jobId);
	}
	if (!row) throw notFound(jobId);
	return row;
}

function notFound(jobId: string): SpillwayError {
	return new SpillwayError("not_found", `There is no job ${jobId}.`, { fix: "Look for it with: spillway jobs" });
}

/** Everything about one job but its logs, decisions and receipt, which have their own calls. */
export async function getJob(ctx: ServiceContext, jobId: string): Promise<JobDetail> {
	const row = await readableJob(ctx, jobId);
	const [attempts, instances, checkpoints, origin] = await Promise.all([
		ctx.db.select().from(attempt).where(eq(attempt.jobId, jobId)).orderBy(asc(attempt.number)),
		ctx.db.select().from(instance).where(eq(instance.jobId, jobId)).orderBy(asc(instance.intendedAt), asc(instance.rank)),
		ctx.db.select().from(checkpoint).where(eq(checkpoint.jobId, jobId)).orderBy(desc(checkpoint.createdAt)).limit(100),
		originOf(ctx.db, row),
	]);
	return {
		...jobView(row),
		...origin,
		spec: row.spec,
		submittedBy: row.submittedBy,
		attemptList: attempts.map((a) => ({
			id: a.id,
			number: a.number,
			state: a.state,
			placement: a.placement,
			gpus: a.gpus,
			slots: a.slots,
			createdAt: a.createdAt.toISOString(),
			stagingAt: iso(a.stagingAt),
			startedAt: iso(a.startedAt),
			stopRequestedAt: iso(a.stopRequestedAt),
			finishedAt: iso(a.finishedAt),
			reason: a.reason ? reasonView(a.reason) : null,
			exitCode: a.exitCode,
			exitSignal: a.exitSignal,
			logLines: a.logLines,
			clusterWait: waitView(a),
		})),
		instances: instances.map((i) => instanceView(i, { ...row, nodes: row.spec.nodes })),
		checkpoints: checkpoints.map((c) => ({
			id: c.id,
			attemptId: c.attemptId,
			createdAt: c.createdAt.toISOString(),
			files: c.files,
			bytes: Number(c.bytes),
			completedMs: Number(c.completedMs),
		})),
	};
}
