import { and, desc, eq, inArray, isNull, lt, ne, or, sql } from "drizzle-orm";
import type { z } from "zod";
import { listApprovalsInput } from "#server/contract/inputs/approval.ts";
import { approval } from "#server/db/schema/approval.ts";
import { job } from "#server/db/schema/job.ts";
import { proposal, type SecondPersonOf } from "#server/db/schema/proposal.ts";
import type { Policy } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { BudgetView } from "#server/scheduling/types.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { decodeCursor, encodeCursor } from "#server/services/core/cursor.ts";
import { namesOf } from "#server/services/core/people.ts";
import { budgetViews } from "#server/services/ledger/budget/views.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { readableJob } from "../readable-job.ts";
import { type ApprovalOutlook, readOutlook } from "./outlook.ts";
import { type ApprovalView, canAnswer, viewOf } from "./view.ts";

/** Approvals of the jobs that the reader may see, newest first. */
export async function listApprovals(
	ctx: ServiceContext,
	raw: z.input<typeof listApprovalsInput>,
): Promise<{ items: ApprovalView[]; nextCursor: string | null }> {
	const { state, jobId, cursor, limit } = listApprovalsInput.parse(raw);
	const at = cursor === undefined ? null : decodeCursor(cursor);
	const rows = await ctx.db
		.select({ approval, job })
		.from(approval)
		.innerJoin(job, eq(job.id, approval.jobId))
		.where(
			and(
				ownTeams(ctx),
				state === undefined ? undefined : state === "open" ? eq(approval.state, "open") : ne(approval.state, "open"),
				jobId === undefined ? undefined : eq(approval.jobId, jobId),
				at === null
					? undefined
					: or(
							lt(approval.requestedAt, new Date(at.atMs)),
							and(eq(approval.requestedAt, new Date(at.atMs)), sql`${approval.id} < ${at.id}`),
						),
			),
		)
		.orderBy(desc(approval.requestedAt), desc(approval.id))
		.limit(limit + 1);
	const page = rows.slice(0, limit);
	const last = page.at(-1)?.approval;
	return {
		items: await viewsOf(ctx, page),
		nextCursor: rows.length > limit && last ? encodeCursor(last.requestedAt.getTime(), last.id) : null,
	};
}

/** @throws SpillwayError `not_found`, also for a job of a team that the reader may not see. */
export async function getApproval(ctx: ServiceContext, id: string): Promise<ApprovalView> {
	const rows = await ctx.db
		.select({ approval, job })
		.from(approval)
		.innerJoin(job, eq(job.id, approval.jobId))
		.where(and(ownTeams(ctx), eq(approval.id, id)));
	const [view] = await viewsOf(ctx, rows);
	if (!view) throw new SpillwayError("not_found", `There is no approval ${id}.`, { fix: "List approvals with: spillway approvals" });
	return view;
}

export interface JobApproval {
	/** The newest approval; null when no rule has required one for this job. */
	approval: ApprovalView | null;
	/** Who may answer, and the usual answer time; null when no request is pending. */
	outlook: ApprovalOutlook | null;
	/** Whether the reader may request approval again for a job waiting after a rejection or an expired request. */
	mayAskAgain: boolean;
}

/** Approval details for a job's page. */
export async function approvalOfJob(ctx: ServiceContext, jobId: string): Promise<JobApproval> {
	const work = await readableJob(ctx, jobId);
	const [view] = (await listApprovals(ctx, { jobId, limit: 1 })).items;
	if (!view) return { approval: null, outlook: null, mayAskAgain: false };
	const waits = (work.state === "queued" || work.state === "held") && work.cancelRequestedAt === null;
	return {
		approval: view,
		outlook: view.state === "open" ? await readOutlook(ctx.db, view.role, work.submittedBy, ctx.clock.nowMs()) : null,
		mayAskAgain: waits && work.reason.code === "waiting_not_approved" && canSubmitFor(ctx, work.team),
	};
}

/** Number of requests waiting for this reader's answer, including changes that need a second person, for the navigation. */
export async function countApprovals(ctx: ServiceContext): Promise<{ forMe: number; open: number; changes: number }> {
	const rows = await ctx.db
		.select({ role: approval.role, submittedBy: job.submittedBy })
		.from(approval)
		.innerJoin(job, eq(job.id, approval.jobId))
		.where(and(ownTeams(ctx), eq(approval.state, "open")));
	const forMe = rows.filter((r) => canAnswer(ctx.actor, r.role, r.submittedBy)).length;
	return { forMe, open: rows.length, changes: await countChanges(ctx) };
}

/** As in proposal/decide: policies by the platform role, caps by finance too, and never one's own. */
async function countChanges({ actor, db }: ServiceContext): Promise<number> {
	if (actor.kind !== "person" || actor.role === "data_scientist") return 0;
	const ofBudgets = or(
		eq(proposal.kind, "budget_cap"),
		and(eq(proposal.kind, "second_person_off"), eq(proposal.subject, "budgets" satisfies SecondPersonOf)),
	);
	const kind = actor.role === "platform" ? undefined : ofBudgets;
	return db.$count(proposal, and(isNull(proposal.decision), ne(proposal.proposedBy, actorName(actor)), kind));
}

function ownTeams(ctx: ServiceContext) {
	const teams = teamScope(ctx, "job:read");
	return teams === null ? undefined : inArray(job.team, [...teams, ""]);
}

function canSubmitFor(ctx: ServiceContext, team: string): boolean {
	try {
		const teams = teamScope(ctx, "job:submit");
		return teams === null || teams.includes(team);
	} catch {
		return false;
	}
}

type Pair = { approval: typeof approval.$inferSelect; job: typeof job.$inferSelect };

/** Budgets are read once for all open approvals; decided ones show none, since the current figures are not what the person saw. */
async function viewsOf(ctx: ServiceContext, rows: readonly Pair[]): Promise<ApprovalView[]> {
	const names = await namesOf(
		ctx.db,
		rows.flatMap((r) => [r.job.submittedBy, r.approval.decidedBy]),
	);
	const money = rows.some((r) => r.approval.state === "open") ? await readMoney(ctx) : null;
	return rows.map((row) => viewOf({ ...row, actor: ctx.actor, names, money }));
}

async function readMoney(ctx: ServiceContext): Promise<{ policy: Policy; budgets: BudgetView[] } | null> {
	const active = await activePolicy(ctx.db).catch((error: unknown) => {
		if (error instanceof SpillwayError && error.code === "unavailable") return null;
		throw error;
	});
	return active && { policy: active.policy, budgets: await budgetViews(ctx.db, active.policy.budgets, ctx.clock.nowMs()) };
}
