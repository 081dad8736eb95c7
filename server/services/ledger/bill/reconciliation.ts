import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { z } from "zod";
import { providerNamed } from "#server/accounting/focus/providers.ts";
import type { ReconciliationState } from "#server/accounting/focus/reconcile.ts";
import type { reconciliationInput } from "#server/contract/inputs/bill.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { reconciliation } from "#server/db/schema/bill.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { utcMonth } from "./run.ts";

/** Number of resources listed, largest difference first; the sums include all resources. */
const ITEMS_MAX = 500;

export interface ReconciledResource {
	provider: string;
	resourceId: string;
	instanceId: string | null;
	billId: string | null;
	state: ReconciliationState;
	/** Effective amounts: in the ledger before corrections by bills; billed; the sum of corrections. */
	estimatedMicroUsd: string;
	billedMicroUsd: string;
	adjustedMicroUsd: string;
	facts: Record<string, string | number | null>;
}

export interface ReconciledProvider {
	provider: string;
	estimatedMicroUsd: string;
	billedMicroUsd: string;
	adjustedMicroUsd: string;
	/** Billed less estimated less adjusted: rounding, and charges missing from a bill that is not final. */
	unexplainedMicroUsd: string;
	/** Lines of category Credit and Tax that were charged; not included in these amounts. */
	resources: Record<ReconciliationState, number>;
}

export interface Reconciliation {
	month: string;
	reconciledAt: string | null;
	providers: ReconciledProvider[];
	items: ReconciledResource[];
	/** Whether there are more resources than items. */
	truncated: boolean;
}

/**
 * Results of reconciling a month's bills with the ledger; empty before the first reconciliation.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function readReconciliation(
	ctx: Pick<ServiceContext, "actor" | "db">,
	input: z.input<typeof reconciliationInput>,
): Promise<Reconciliation> {
	authorize(ctx, "bill:read", null);
	const month = utcMonth(input.month);
	const r = reconciliation;
	const scope = and(
		eq(r.month, month.key),
		input.provider === undefined ? undefined : eq(r.provider, input.provider),
		input.team === undefined ? undefined : inArray(r.instanceId, machinesOf(ctx.db, input.team)),
	);
	const sums = await ctx.db
		.select({
			provider: r.provider,
			state: r.state,
			count: sql<number>`count(*)::int`,
			estimated: sql<string>`sum(${r.estimatedMicroUsd})::text`,
			billed: sql<string>`sum(${r.billedMicroUsd})::text`,
			adjusted: sql<string>`sum(${r.adjustedMicroUsd})::text`,
			at: sql<string>`max(${r.reconciledAt})::text`,
		})
		.from(r)
		.where(scope)
		.groupBy(r.provider, r.state)
		.orderBy(r.provider);
	const differs = sql`abs(${r.billedMicroUsd} - ${r.estimatedMicroUsd})`;
	const rows = await ctx.db
		.select()
		.from(r)
		.where(and(scope, input.state === undefined ? undefined : eq(r.state, input.state)))
		.orderBy(desc(differs), r.provider, r.resourceId)
		.limit(ITEMS_MAX + 1);
	const newest = sums.map((s) => Date.parse(s.at)).reduce((a, b) => Math.max(a, b), 0);
	return {
		month: month.key,
		reconciledAt: newest === 0 ? null : new Date(newest).toISOString(),
		providers: [...Map.groupBy(sums, (s) => s.provider)].map(([provider, own]) => toProvider(provider, own)),
		items: rows
			.slice(0, ITEMS_MAX)
			.map(({ month: _month, reconciledAt: _at, estimatedMicroUsd, billedMicroUsd, adjustedMicroUsd, ...rest }) => ({
				...rest,
				estimatedMicroUsd: estimatedMicroUsd.toString(),
				billedMicroUsd: billedMicroUsd.toString(),
				adjustedMicroUsd: adjustedMicroUsd.toString(),
			})),
		truncated: rows.length > ITEMS_MAX,
	};
}

const machinesOf = (db: DbOrTx, team: string) =>
	db.select({ id: instance.id }).from(instance).innerJoin(job, eq(job.id, instance.jobId)).where(eq(job.team, team));

function toProvider(
	provider: string,
	own: readonly { state: ReconciliationState; count: number; estimated: string; billed: string; adjusted: string }[],
): ReconciledProvider {
	const sum = (pick: (s: (typeof own)[number]) => string) => own.reduce((total, s) => total + BigInt(pick(s)), 0n);
	const [estimated, billed, adjusted] = [sum((s) => s.estimated), sum((s) => s.billed), sum((s) => s.adjusted)];
	const resources = { matched: 0, not_billed: 0, billed_unknown: 0, price_variance: 0, time_variance: 0 };
	for (const s of own) resources[s.state] += s.count;
	return {
		provider: providerNamed(provider) ?? provider,
		estimatedMicroUsd: estimated.toString(),
		billedMicroUsd: billed.toString(),
		adjustedMicroUsd: adjusted.toString(),
		unexplainedMicroUsd: (billed - estimated - adjusted).toString(),
		resources,
	};
}
