import { asc, desc, eq } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { Placement } from "#server/domain/capacity.ts";
import { type ClusterWait, clusterWaitSentence } from "#server/domain/cluster-wait.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { AttemptState } from "#server/domain/states.ts";
import type { MoveDestination } from "#server/domain/vocabulary.ts";
import { type InstanceView, instanceView } from "#server/services/capacity/instance/view.ts";
import { allows } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { iso, type ReasonView, reasonView } from "#server/services/core/view.ts";
import { readableJob } from "../readable-job.ts";
import { expectedOfJobs } from "./expected.ts";
import { type JobOrigin, originOf } from "./origin.ts";
import { type JobView, jobView } from "./view.ts";

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
	/** Why the site's own scheduler keeps it pending, while it does. */
	clusterWait: (ClusterWait & { message: string }) | null;
	/** Where a live attempt's job continues, or should. `at`: when the attempt stops for it; null until there is a place. */
	move: { to: MoveDestination; requestedBy: string | null; at: string | null } | null;
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

function moveView({ finishedAt, movingTo, moveAt, moveRequest, moveReason }: typeof attempt.$inferSelect): AttemptView["move"] {
	const to = movingTo?.kind ?? moveRequest?.to;
	if (finishedAt || !to) return null;
	const requested = movingTo === null || moveReason?.code === "moved_by_person";
	return { to, requestedBy: requested ? (moveRequest?.by ?? null) : null, at: iso(moveAt) };
}

/** Environment values often contain keys. Only people who may submit for the team see them; others see the names. */
function visibleSpec(ctx: ServiceContext, row: { team: string; spec: JobSpec }): JobSpec {
	if (allows(ctx, "job:submit", row.team)) return row.spec;
	return { ...row.spec, env: Object.fromEntries(Object.keys(row.spec.env).map((name) => [name, HIDDEN])) };
}

const HIDDEN = "••••••";

/** All data of one job except its logs, decisions and receipt, which have their own calls. */
export async function getJob(ctx: ServiceContext, jobId: string): Promise<JobDetail> {
	const row = await readableJob(ctx, jobId);
	const [attempts, instances, checkpoints, origin, expected] = await Promise.all([
		ctx.db.select().from(attempt).where(eq(attempt.jobId, jobId)).orderBy(asc(attempt.number)),
		ctx.db.select().from(instance).where(eq(instance.jobId, jobId)).orderBy(asc(instance.intendedAt), asc(instance.rank)),
		ctx.db.select().from(checkpoint).where(eq(checkpoint.jobId, jobId)).orderBy(desc(checkpoint.createdAt)).limit(100),
		originOf(ctx.db, row),
		expectedOfJobs(ctx.db, [row]),
	]);
	return {
		...jobView(row, expected.get(row.id) ?? null),
		...origin,
		spec: visibleSpec(ctx, row),
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
			move: moveView(a),
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
