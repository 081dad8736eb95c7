import { and, eq, gte, inArray, lt, min, type SQL, sql } from "drizzle-orm";
import type { Interval } from "#server/accounting/calendar.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { charge } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { teamScope } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { ledgerCalendar } from "../ledger/calendar.ts";
import { NO_FILTERS, passes, restricted, type SpendFilters } from "./filters.ts";
import { spendRange } from "./range.ts";

/** How attempts end that did not finish their job's command. */
export const LOST_STATES = ["failed", "interrupted", "evicted", "lost"] as const;

export type LostState = (typeof LOST_STATES)[number];

export interface LostWork {
	/** By how the attempts ended. */
	items: { state: LostState; attempts: number; ownedMicroUsd: bigint; cloudMicroUsd: bigint; gpuMs: bigint }[];
	totalMicroUsd: bigint;
	/** An upper bound: what of the work lives on in a checkpoint is not taken off. */
	estimate: "whole_attempts_checkpoints_not_deducted";
}

/**
 * What attempts cost that ended in the range without finishing their job's command.
 * Cost: the attempts of the range that ended so, from one index; filters look at the attempts or their jobs, one by kind at their charges.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function lostWork(
	ctx: Pick<ServiceContext, "actor" | "db">,
	input: { fromMs: number; toMs: number; filters?: SpendFilters | undefined },
): Promise<LostWork> {
	const teams = teamScope(ctx, "spend:read");
	const { fromMs, toMs } = spendRange(input, await ledgerCalendar(ctx.db));
	const filters = input.filters ?? NO_FILTERS;
	const range = { fromMs, toMs };
	const items = restricted(filters).includes("kind")
		? await ofCharges(ctx, range, filters, teams)
		: await ofAttempts(ctx, range, filters, teams);
	return {
		items,
		totalMicroUsd: items.reduce((total, item) => total + item.ownedMicroUsd + item.cloudMicroUsd, 0n),
		estimate: "whole_attempts_checkpoints_not_deducted",
	};
}

const bigSum = (value: SQL, where = sql`true`) =>
	sql`coalesce(sum(${value}) filter (where ${where}), 0)`.mapWith((v: unknown) => BigInt(String(v)));

/** From the sums that attempts keep of their charges. */
async function ofAttempts(
	{ db }: Pick<ServiceContext, "db">,
	{ fromMs, toMs }: Interval,
	filters: SpendFilters,
	teams: readonly string[] | null,
): Promise<LostWork["items"]> {
	if (teams?.length === 0) return [];
	const columns = {
		...{ team: attempt.team, project: job.project, class: job.class, site: attempt.siteId, capacityType: attempt.capacityType },
		provider: sql`${attempt.placement}->>'provider'`,
		region: sql`coalesce(${attempt.placement}->>'region', '')`,
		accelerator: sql`coalesce(${attempt.placement}->>'accelerator', '')`,
	};
	const kept = restricted(filters).flatMap((name) =>
		name === "kind" ? [] : [inArray(sql`${columns[name]}::text`, [...(filters[name] ?? [])])],
	);
	const where = and(
		inArray(attempt.state, [...LOST_STATES]),
		gte(attempt.finishedAt, new Date(fromMs)),
		lt(attempt.finishedAt, new Date(toMs)),
		...kept,
		teams === null ? undefined : inArray(attempt.team, [...teams]),
	);
	const query = db
		.select({
			state: sql<LostState>`${attempt.state}::text`,
			attempts: sql`count(*) filter (where ${attempt.gpuMs} <> 0 or ${attempt.costMicroUsd} <> 0)`.mapWith(Number),
			ownedMicroUsd: bigSum(sql`${attempt.costMicroUsd}`, sql`${attempt.capacityType} = 'owned'`),
			cloudMicroUsd: bigSum(sql`${attempt.costMicroUsd}`, sql`${attempt.capacityType} <> 'owned'`),
			gpuMs: bigSum(sql`${attempt.gpuMs}`),
		})
		.from(attempt)
		.$dynamic();
	const ofJobs = restricted(filters).some((name) => name === "project" || name === "class");
	const joined = ofJobs ? query.innerJoin(job, eq(job.id, attempt.jobId)) : query;
	const rows = await joined.where(where).groupBy(attempt.state).orderBy(attempt.state);
	return rows.filter((row) => row.attempts > 0);
}

/** From the charges themselves, for the one dimension that attempts keep no sums of. */
async function ofCharges(
	ctx: Pick<ServiceContext, "db">,
	range: Interval,
	filters: SpendFilters,
	teams: readonly string[] | null,
): Promise<LostWork["items"]> {
	const { lost, chargedMs } = await lostAttempts(ctx, range, LOST_STATES);
	const money = sql`${charge.effectiveMicroUsd}`;
	return ctx.db
		.select({
			state: sql<LostState>`${attempt.state}::text`,
			attempts: sql`count(distinct ${attempt.id})`.mapWith(Number),
			ownedMicroUsd: bigSum(money, sql`${charge.capacityType} = 'owned'`),
			cloudMicroUsd: bigSum(money, sql`${charge.capacityType} <> 'owned'`),
			gpuMs: bigSum(sql`${charge.gpuMs}`),
		})
		.from(attempt)
		.innerJoin(charge, and(eq(charge.jobId, attempt.jobId), eq(charge.attemptId, attempt.id)))
		.where(
			and(
				lost,
				gte(charge.periodStart, new Date(chargedMs.fromMs)),
				lt(charge.periodStart, new Date(chargedMs.toMs)),
				passes(charge, filters, teams),
			),
		)
		.groupBy(attempt.state)
		.orderBy(attempt.state);
}

/** The attempts that ended so in the range, and the time in which their charges lie. */
export async function lostAttempts(
	ctx: Pick<ServiceContext, "db">,
	{ fromMs, toMs }: Interval,
	states: readonly LostState[],
): Promise<{ lost: SQL | undefined; chargedMs: Interval }> {
	const lost = and(inArray(attempt.state, [...states]), gte(attempt.finishedAt, new Date(fromMs)), lt(attempt.finishedAt, new Date(toMs)));
	// Attempts are charged from their beginning to their end, or their machine's: months of charges beyond are left out.
	const [first] = await ctx.db
		.select({ at: min(attempt.createdAt) })
		.from(attempt)
		.where(lost);
	return { lost, chargedMs: { fromMs: (first?.at?.getTime() ?? fromMs) - HOUR_MS, toMs: toMs + DAY_MS } };
}
