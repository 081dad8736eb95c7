import { eq } from "drizzle-orm";
import type { z } from "zod";
import { grantInput, refuseInput } from "#server/contract/inputs/approval.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { approval } from "#server/db/schema/approval.ts";
import { job } from "#server/db/schema/job.ts";
import { LABELS } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { namesOf } from "#server/services/core/people.ts";
import { closeAlerts } from "./close.ts";

export interface DecidedApproval {
	id: string;
	jobId: string;
	state: "granted" | "refused";
	/** Decimal micro-dollars; null when it was rejected. */
	upToMicroUsd: string | null;
}

/**
 * Approves a job: it may be placed where its expected cost is at most this much, and the control loop is woken.
 * @throws SpillwayError `forbidden` for another role, one's own job and callers who are not a person; `not_found`; `conflict` when
 * someone answered before, the request is closed, or the job has moved on. ZodError.
 */
export async function grantApproval(ctx: ServiceContext, raw: z.input<typeof grantInput>): Promise<DecidedApproval> {
	const input = grantInput.parse(raw);
	return answer(ctx, input, (row) => ({
		state: "granted",
		upToMicroUsd: input.upToUsd === undefined ? BigInt(row.quote.costMicroUsd) : usdToMicro(input.upToUsd),
	}));
}

/**
 * Rejects a job: it waits at home, and the rule does not request approval again unless the submitter does. Same errors as grantApproval.
 */
export async function rejectApproval(ctx: ServiceContext, raw: z.input<typeof refuseInput>): Promise<DecidedApproval> {
	return answer(ctx, refuseInput.parse(raw), () => ({ state: "refused", upToMicroUsd: null }));
}

type Row = typeof approval.$inferSelect;
type Answer = { state: "granted" | "refused"; upToMicroUsd: bigint | null };

async function answer(ctx: ServiceContext, input: z.infer<typeof refuseInput>, answerTo: (row: Row) => Answer): Promise<DecidedApproval> {
	authorize(ctx, "job:approve", null);
	return ctx.db.transaction(async (tx) => {
		const [seen] = await tx.select({ jobId: approval.jobId }).from(approval).where(eq(approval.id, input.id));
		if (!seen)
			throw new SpillwayError("not_found", `There is no approval ${input.id}.`, { fix: "List approvals with: spillway approvals" });
		// Lock the job's row first, as cancelling and placing do, so that one of the two comes second and gets a conflict.
		const [work] = await tx.select().from(job).where(eq(job.id, seen.jobId)).for("update");
		const [row] = await tx.select().from(approval).where(eq(approval.id, input.id)).for("update");
		if (!row || !work) throw new SpillwayError("not_found", `There is no approval ${input.id}.`);
		requireAnswerer(ctx, row, work.submittedBy);
		const nowMs = ctx.clock.nowMs();
		await rejectDecided(tx, row, work, nowMs);
		const said = answerTo(row);
		const decided = { ...said, note: input.note || null, decidedBy: actorName(ctx.actor), decidedAt: new Date(nowMs) };
		await tx.update(approval).set(decided).where(eq(approval.id, row.id));
		if (said.upToMicroUsd !== null) await tx.update(job).set({ approvedMicroUsd: said.upToMicroUsd }).where(eq(job.id, row.jobId));
		const upToMicroUsd = said.upToMicroUsd === null ? null : said.upToMicroUsd.toString();
		const { ruleId, jobId } = row;
		await writeAudit(tx, ctx, {
			...{ action: `approval.${said.state}`, subject: row.id },
			before: { state: "open", costMicroUsd: row.quote.costMicroUsd },
			after: { state: said.state, jobId, ruleId, upToMicroUsd, note: decided.note },
		});
		await closeAlerts(tx, [row.id], nowMs);
		await notify(tx, { wake: true, changes: [{ topic: "job", id: jobId, team: work.team }] });
		return { id: row.id, jobId, state: said.state, upToMicroUsd };
	});
}

/**
 * The rule names the role, and no one may approve their own job. The same applies to a rejection, which would only hide the job from the
 * others.
 */
function requireAnswerer(ctx: ServiceContext, row: Row, submittedBy: string): void {
	const role = LABELS[row.role];
	if (ctx.actor.kind !== "person") {
		throw new SpillwayError("forbidden", "Only a person can answer an approval.", { fix: "Sign in as a person." });
	}
	if (ctx.actor.role !== row.role) {
		throw new SpillwayError("forbidden", `Rule ${row.ruleId} requires the role ${role}.`, {
			fix: `Ask someone with the role ${role}.`,
		});
	}
	if (submittedBy === actorName(ctx.actor)) {
		throw new SpillwayError("forbidden", "You cannot approve your own job.", { fix: `Ask someone else with the role ${role}.` });
	}
}

async function rejectDecided(tx: Tx, row: Row, work: typeof job.$inferSelect, nowMs: number): Promise<void> {
	if (row.state !== "open") {
		const who = row.decidedBy === null ? "" : ` by ${(await namesOf(tx, [row.decidedBy]))(row.decidedBy)}`;
		const why = row.decidedBy === null && row.note ? `: ${row.note}` : "";
		throw new SpillwayError("conflict", `This approval is already ${row.state}${who}${why}.`, { fix: "Reload the list." });
	}
	if (row.expiresAt.getTime() <= nowMs) {
		throw new SpillwayError("conflict", "This approval has expired.", {
			fix: "The submitter can request approval again on the job page.",
		});
	}
	if ((work.state !== "held" && work.state !== "queued") || work.cancelRequestedAt !== null) {
		const state = work.cancelRequestedAt === null ? work.state : "cancelled";
		throw new SpillwayError("conflict", `The job is already ${state}.`, { fix: "Reload the list." });
	}
}
