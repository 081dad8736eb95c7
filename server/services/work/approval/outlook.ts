import { and, asc, eq, gte, inArray, isNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { outlookInput } from "#server/contract/inputs/approval.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { approval } from "#server/db/schema/approval.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { isPermitted } from "#server/services/core/custom-role.ts";

const WINDOW_DAYS = 90;

export interface ApprovalOutlook {
	role: Role;
	/** Names of those who may approve a job of this person; empty when no one can. */
	people: string[];
	/** Median answer time of the last 90 days, ms; null when there is none yet. */
	medianMs: number | null;
	/** Number of answers in the median. */
	answered: number;
}

/** Approvers for a job that the reader submits, and the usual answer time. */
export async function approvalOutlook(ctx: ServiceContext, raw: z.input<typeof outlookInput>): Promise<ApprovalOutlook> {
	authorize(ctx, "quote:ask", null);
	return readOutlook(ctx.db, outlookInput.parse(raw).role, actorName(ctx.actor), ctx.clock.nowMs());
}

/** The same for a job of `submittedBy`; submitters cannot approve their own jobs. */
export async function readOutlook(db: DbOrTx, role: Role, submittedBy: string, nowMs: number): Promise<ApprovalOutlook> {
	const people = await db
		.select({ id: account.id, name: account.name })
		.from(account)
		.where(and(eq(account.role, role), isPermitted("job:approve"), isNull(account.disabledAt)))
		.orderBy(asc(account.name), asc(account.id));
	const took = sql`extract(epoch from (${approval.decidedAt} - ${approval.requestedAt})) * 1000`;
	const [row] = await db
		.select({
			answered: sql<number>`count(*)::int`,
			medianMs: sql<number | null>`percentile_cont(0.5) within group (order by ${took})::float8`,
		})
		.from(approval)
		.where(
			and(
				eq(approval.role, role),
				inArray(approval.state, ["granted", "refused"]),
				gte(approval.decidedAt, new Date(nowMs - WINDOW_DAYS * DAY_MS)),
			),
		);
	return {
		role,
		people: people.filter((p) => submittedBy !== `account:${p.id}`).map((p) => p.name),
		medianMs: row?.medianMs == null ? null : Math.round(row.medianMs),
		answered: row?.answered ?? 0,
	};
}
