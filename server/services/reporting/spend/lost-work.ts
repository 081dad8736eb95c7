import { and, eq, gte, inArray, lt, min, or, type SQL, sql } from "drizzle-orm";
import type { Interval } from "#server/accounting/calendar.ts";
import { coverRange, type Segment } from "#server/accounting/cover-range.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { charge } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { attemptSum } from "#server/db/schema/work-sum.ts";
import { LOST_STATES, type LostState } from "#server/domain/lost-work.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { NO_FILTERS, passes, restricted, type SpendDimension, type SpendFilters } from "./filters.ts";
import { spendRange } from "./range.ts";

export interface LostWork {
	/** By how the attempts ended. */
	items: { state: LostState; attempts: number; ownedMicroUsd: bigint; cloudMicroUsd: bigint; gpuMs: bigint }[];
	totalMicroUsd: bigint;
	/** An upper bound: work saved in a checkpoint is not deducted. */
	estimate: "whole_attempts_checkpoints_not_deducted";
}

/**
 * Cost of attempts that ended in the range without finishing their job's command.
 * Cost: sums of whole months and days, and the attempts of single hours. With filters on one dimension besides team and
 * capacity, reads sums of whole months and the remaining attempts; with more, all attempts; by kind, their charges.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function lostWork(
	ctx: Pick<ServiceContext, "actor" | "db">,
	input: { fromMs: number; toMs: number; filters?: SpendFilters | undefined },
): Promise<LostWork> {
	const teams = teamScope(ctx, "spend:read");
	const calendar = await ledgerCalendar(ctx.db);
	const { fromMs, toMs } = spendRange(input, calendar);
	const filters = input.filters ?? NO_FILTERS;
	const range = { fromMs, toMs };
	const items = restricted(filters).includes("kind")
		? await ofCharges(ctx, range, filters, teams)
		: await fromSums(ctx, coverRange(range, "month", calendar), filters, teams);
	return {
		items,
		totalMicroUsd: items.reduce((total, item) => total + item.ownedMicroUsd + item.cloudMicroUsd, 0n),
		estimate: "whole_attempts_checkpoints_not_deducted",
	};
}

const bigSum = (value: SQL, where = sql`true`) =>
	sql`coalesce(sum(${value}) filter (where ${where}), 0)`.mapWith((v: unknown) => BigInt(String(v)));

/** From stored sums where they exist, and from attempts for the rest of the range. */
async function fromSums(
	ctx: Pick<ServiceContext, "db">,
	segments: readonly Segment[],
	filters: SpendFilters,
	teams: readonly string[] | null,
): Promise<LostWork["items"]> {
	if (teams?.length === 0) return [];
	const [dimension, ...more] = restricted(filters).filter((name) => name !== "team" && name !== "capacityType");
	const isKept = ({ granularity }: Segment) =>
		more.length === 0 && (granularity === "month" || (granularity === "day" && dimension === undefined));
	const parts = await Promise.all([
		readSums(ctx, segments.filter(isKept), dimension, filters, teams),
		...segments.filter((s) => !isKept(s)).map((segment) => ofAttempts(ctx, segment, filters, teams)),
	]);
	const byState = Map.groupBy(parts.flat(), (item) => item.state);
	const sum = (items: LostWork["items"], of: (item: LostWork["items"][number]) => bigint) =>
		items.reduce((total, item) => total + of(item), 0n);
	return LOST_STATES.flatMap((state) => {
		const items = byState.get(state) ?? [];
		const attempts = items.reduce((total, item) => total + item.attempts, 0);
		if (attempts === 0) return [];
		const cost = { ownedMicroUsd: sum(items, (i) => i.ownedMicroUsd), cloudMicroUsd: sum(items, (i) => i.cloudMicroUsd) };
		return [{ state, attempts, ...cost, gpuMs: sum(items, (i) => i.gpuMs) }];
	});
}

async function readSums(
	{ db }: Pick<ServiceContext, "db">,
	segments: readonly Segment[],
	dimension: SpendDimension | undefined,
	filters: SpendFilters,
	teams: readonly string[] | null,
): Promise<LostWork["items"]> {
	if (segments.length === 0) return [];
	const named = filters.team?.length ? filters.team : null;
	const wanted = teams === null ? (named ?? [""]) : teams.filter((team) => named === null || named.includes(team));
	if (wanted.length === 0) return [];
	const within = segments.map((s) =>
		and(
			eq(attemptSum.granularity, s.granularity),
			gte(attemptSum.bucketStart, new Date(s.fromMs)),
			lt(attemptSum.bucketStart, new Date(s.toMs)),
		),
	);
	return db
		.select({
			state: sql<LostState>`${attemptSum.state}`,
			attempts: sql`sum(${attemptSum.attempts})`.mapWith(Number),
			ownedMicroUsd: bigSum(sql`${attemptSum.costMicroUsd}`, sql`${attemptSum.capacityType} = 'owned'`),
			cloudMicroUsd: bigSum(sql`${attemptSum.costMicroUsd}`, sql`${attemptSum.capacityType} <> 'owned'`),
			gpuMs: bigSum(sql`${attemptSum.gpuMs}`),
		})
		.from(attemptSum)
		.where(
			and(
				...[eq(attemptSum.sumOf, "lost"), eq(attemptSum.dimension, dimension ?? ""), inArray(attemptSum.team, [...wanted]), or(...within)],
				inArray(attemptSum.state, [...LOST_STATES]),
				dimension === undefined ? undefined : inArray(attemptSum.key, [...(filters[dimension] ?? [])]),
				filters.capacityType?.length ? inArray(sql`${attemptSum.capacityType}::text`, filters.capacityType) : undefined,
			),
		)
		.groupBy(attemptSum.state);
}

/** From the charge sums stored on attempts. */
async function ofAttempts(
	{ db }: Pick<ServiceContext, "db">,
	{ fromMs, toMs }: Interval,
	filters: SpendFilters,
	teams: readonly string[] | null,
): Promise<LostWork["items"]> {
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
	return joined.where(where).groupBy(attempt.state);
}

/** From the charges themselves, for the one dimension for which attempts store no sums. */
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

/** The attempts that ended in these states in the range, and the period of their charges. */
export async function lostAttempts(
	ctx: Pick<ServiceContext, "db">,
	{ fromMs, toMs }: Interval,
	states: readonly (LostState | "cancelled")[],
): Promise<{ lost: SQL | undefined; chargedMs: Interval }> {
	const lost = and(inArray(attempt.state, [...states]), gte(attempt.finishedAt, new Date(fromMs)), lt(attempt.finishedAt, new Date(toMs)));
	// Attempts are charged from their start to their own or their machine's end, so other months of charges are skipped.
	const [first] = await ctx.db
		.select({ at: min(attempt.createdAt) })
		.from(attempt)
		.where(lost);
	return { lost, chargedMs: { fromMs: (first?.at?.getTime() ?? fromMs) - HOUR_MS, toMs: toMs + DAY_MS } };
}
