import { and, desc, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { reconciliationHistoryInput } from "#server/contract/inputs/bill.ts";
import type { Db } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { BillMonth } from "./read-billed.ts";
import { utcMonth } from "./run.ts";

/** Number of reconciliations listed; a bill that arrives daily makes about thirty a month. */
const RUNS_MAX = 200;

/** Charges of one kind posted by reconciling a provider's bills. */
export interface PostedByBills {
	provider: string;
	/** Machine corrections and unknown machines, or the invoice's own items, credits and taxes. */
	what: "corrections" | "invoice_items";
	charges: number;
	effectiveMicroUsd: string;
	billedMicroUsd: string;
}

export interface ReconciliationRun {
	/** End time. Includes the charges posted since the previous end; charges of an interrupted reconciliation belong to the next. */
	at: string;
	/** End of the previous reconciliation; null for the first. */
	since: string | null;
	/** The author as recorded in the audit log, and the account's current name; null for the system. */
	by: string;
	byName: string | null;
	/**
	 * Whether charges missing from the bills were reversed because a person declared the bills final. If false, they were reversed only where
	 * a line was invoiced.
	 */
	final: boolean;
	posted: PostedByBills[];
}

export interface ReconciliationHistory {
	month: string;
	/** Reconciliations, newest first. */
	runs: ReconciliationRun[];
	/** Whether there are more than these. */
	truncated: boolean;
}

/**
 * When a month's bills were reconciled with the ledger, and what each reconciliation posted. Together these are all entries the ledger has
 * from the month's bills. Cost: the month's audit lines and, by their own index, the charges that bills caused.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function readReconciliationHistory(
	ctx: Pick<ServiceContext, "actor" | "db">,
	raw: z.input<typeof reconciliationHistoryInput>,
): Promise<ReconciliationHistory> {
	authorize(ctx, "bill:read", null);
	const input = reconciliationHistoryInput.parse(raw);
	const month = utcMonth(input.month);
	const rows = await ctx.db
		.select({ at: audit.at, actor: audit.actor, after: audit.after, name: account.name })
		.from(audit)
		.leftJoin(account, eq(audit.actor, sql`'account:' || ${account.id}`))
		.where(and(eq(audit.subject, month.key), eq(audit.action, "bill.reconcile")))
		.orderBy(desc(audit.at), desc(audit.id))
		.limit(RUNS_MAX + 1);
	const posted = (await postedByBills(ctx.db, month)).filter((p) => input.provider === undefined || p.provider === input.provider);
	const runs = rows.map(({ at, actor, after, name }, i): ReconciliationRun => {
		const since = rows[i + 1]?.at ?? null;
		const own = posted.filter((p) => p.postedMs <= at.getTime() && (since === null || p.postedMs > since.getTime()));
		return {
			...{ at: at.toISOString(), since: since?.toISOString() ?? null, by: actor, byName: name },
			final: (after as { final?: boolean | null } | null)?.final === true,
			posted: sumsOf(own),
		};
	});
	return { month: month.key, runs: runs.slice(0, RUNS_MAX), truncated: rows.length > RUNS_MAX };
}

interface Posted {
	provider: string;
	what: PostedByBills["what"];
	postedMs: number;
	charges: number;
	effective: bigint;
	billed: bigint;
}

/** By provider and time. The month is the bill's UTC month: a machine's charges begin in it, whatever the ledger's calendar months are. */
async function postedByBills(db: Db, month: BillMonth): Promise<Posted[]> {
	const [from, to] = [new Date(month.fromMs).toISOString(), new Date(month.toMs).toISOString()];
	const rows = await db.execute<{ provider: string; item: boolean; ms: string; charges: number; effective: string; billed: string }>(sql`
		select provider, kind in ('credit', 'tax') as item, (extract(epoch from posted_at) * 1000)::bigint::text as ms, count(*)::int as charges,
			sum(effective_micro_usd)::text as effective, sum(billed_micro_usd)::text as billed
		from charge where period_start >= ${from}::timestamptz and period_start < ${to}::timestamptz
			and (bill_line_id is not null or correction in ('bill_price', 'bill_time'))
		group by 1, 2, 3`);
	return rows.map(({ provider, item, ms, charges, effective, billed }) => ({
		...{ provider, what: item ? ("invoice_items" as const) : ("corrections" as const), postedMs: Number(ms), charges },
		...{ effective: BigInt(effective), billed: BigInt(billed) },
	}));
}

function sumsOf(posted: readonly Posted[]): PostedByBills[] {
	const groups = Map.groupBy(posted, ({ provider, what }) => `${provider}/${what}`);
	return [...groups.values()].flatMap((own) => {
		const [first] = own;
		if (!first) return [];
		const sum = (pick: (p: Posted) => bigint) => own.reduce((total, p) => total + pick(p), 0n).toString();
		const charges = own.reduce((total, p) => total + p.charges, 0);
		return [
			{
				provider: first.provider,
				what: first.what,
				charges,
				effectiveMicroUsd: sum((p) => p.effective),
				billedMicroUsd: sum((p) => p.billed),
			},
		];
	});
}
