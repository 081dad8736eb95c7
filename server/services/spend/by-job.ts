import { and, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { bucketsOf, type Interval } from "#server/accounting/calendar.ts";
import { widened } from "#server/accounting/cover-range.ts";
import { jobMonth } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { teamScope } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { ledgerCalendar } from "../ledger/calendar.ts";
import { restricted, spendFilters } from "./filters.ts";
import { spendRange } from "./range.ts";

const MONTHS_MAX = 120;

/**
 * The dearest jobs of whole months. `fromMs`, `toMs`: widened to months of the ledger's calendar, because that is how sums
 * of jobs are kept. `filters`: team, project and class. `cursor`: nextCursor of the page before.
 */
export const jobSpendInput = z.strictObject({
	fromMs: z.number().int(),
	toMs: z.number().int(),
	filters: spendFilters.default({}),
	cursor: z.string().max(200).optional(),
	limit: z.number().int().min(1).max(500).default(50),
});
export type JobSpendInput = z.input<typeof jobSpendInput>;

export interface JobSpend {
	/** The months that were summed, the asked range widened to them. */
	fromMs: number;
	toMs: number;
	zone: string;
	groupBy: "job";
	/** Dearest first. */
	items: {
		/** The job's id. */
		key: string;
		name: string;
		team: string;
		project: string;
		class: string;
		state: string;
		totalMicroUsd: bigint;
		listMicroUsd: bigint;
		billedMicroUsd: bigint;
		gpuMs: bigint;
		energyMilliWh: bigint;
		emissionsMilligrams: bigint;
		charges: number;
	}[];
	nextCursor: string | null;
}

const SUMS = ["effective_micro_usd", "list_micro_usd", "billed_micro_usd", "gpu_ms", "energy_milli_wh", "emissions_milligrams", "charges"];
const cursorSchema = z.tuple([z.string().regex(/^-?\d{1,30}$/), z.string().regex(/^[\w-]{1,64}$/)]);

/**
 * Jobs by what they cost in some months. Cost: of each month the page's rows by index, and the jobs that reach over an edge
 * of the range; a filter by project or class reads as many more rows as it drops.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spendByJob(ctx: Pick<ServiceContext, "actor" | "db">, raw: JobSpendInput): Promise<JobSpend> {
	const teams = teamScope(ctx, "spend:read");
	const { filters, cursor, limit, ...asked } = jobSpendInput.parse(raw);
	const wrong = restricted(filters).filter((name) => name !== "team" && name !== "project" && name !== "class");
	if (wrong.length > 0) {
		throw new SpillwayError("invalid_input", `Sums of jobs are not kept by ${wrong.join(", ")}.`, {
			fields: wrong.map((name) => ({ path: name, message: "cannot be combined with groupBy=job" })),
			fix: "Filter jobs by team, project or class, or read the charges of the selection instead.",
		});
	}
	const calendar = await ledgerCalendar(ctx.db);
	const range = widened("month", spendRange(asked, calendar), calendar);
	const months = bucketsOf("month", range, calendar).slice(-MONTHS_MAX);
	const after = cursor === undefined ? null : decode(cursor);
	const kept = and(
		teams === null ? undefined : teams.length === 0 ? sql`false` : inArray(jobMonth.team, [...teams]),
		filters.team?.length ? inArray(jobMonth.team, filters.team) : undefined,
		filters.project?.length ? inArray(job.project, filters.project) : undefined,
		filters.class?.length ? inArray(sql`${job.class}::text`, filters.class) : undefined,
	);
	const ofJobs = restricted(filters).some((name) => name !== "team");
	const rows = await ctx.db.execute<Record<string, unknown>>(dearest(months, kept, ofJobs, after, limit + 1));
	const items = rows.slice(0, limit).map(toItem);
	const last = items.at(-1);
	const nextCursor = rows.length > limit && last ? encode(last) : null;
	return { ...range, zone: calendar.zone, groupBy: "job", items, nextCursor };
}

/**
 * The first rows by index of each month's own jobs and of the jobs that span months from that one on, within the range; those
 * that reach over its edge are added up; then the first of all.
 */
function dearest(
	months: readonly Interval[],
	kept: SQL | undefined,
	ofJobs: boolean,
	after: { cost: string; id: string } | null,
	limit: number,
): SQL {
	const starts = sql.join(
		months.map((m) => sql`(${new Date(m.fromMs).toISOString()}::timestamptz)`),
		sql`, `,
	);
	const own = sql.raw(SUMS.map((c) => `job_month.${c}`).join(", "));
	const added = sql.raw(SUMS.map((c) => `sum(job_month.${c})::bigint as ${c}`).join(", "));
	const follows = (cost: SQL) =>
		after === null
			? sql`true`
			: sql`(${cost} <= ${after.cost}::bigint and (${cost} < ${after.cost}::bigint or job_month.job_id > ${after.id}))`;
	// Months say the team themselves; only for the rest is each job looked up.
	const join = ofJobs ? sql`job_month join job on job.id = job_month.job_id` : sql`job_month`;
	// The same condition on spans: they are named as months are, and stand for their whole life.
	const spans = sql`(select job_id, team, first_month, last_month, effective_micro_usd from job_span) as job_month`;
	const spansOfJobs = ofJobs ? sql`${spans} join job on job.id = job_month.job_id` : spans;
	const [first, last] = [months[0], months.at(-1)].map((m) => sql`${new Date(m?.fromMs ?? 0).toISOString()}::timestamptz`);
	return sql`
		with months(start) as (values ${starts}), single as (
			select one.* from months, lateral (
				select job_month.job_id, ${own} from ${join}
				where job_month.month_start = months.start and not job_month.several and ${kept ?? sql`true`} and ${follows(sql`job_month.effective_micro_usd`)}
				order by job_month.effective_micro_usd desc, job_month.job_id limit ${limit}) as one
		), inside as (
			select one.* from months, lateral (
				select job_month.job_id from ${spansOfJobs}
				where job_month.first_month = months.start and job_month.last_month <= ${last} and ${kept ?? sql`true`} and ${follows(sql`job_month.effective_micro_usd`)}
				order by job_month.effective_micro_usd desc, job_month.job_id limit ${limit}) as one
		), over_edge as materialized (
			select job_id from job_span where (first_month < ${first} and last_month >= ${first}) or (first_month between ${first} and ${last} and last_month > ${last})
		), reaching as (
			select job_month.job_id from over_edge join job_month on job_month.job_id = over_edge.job_id${ofJobs ? sql` join job on job.id = job_month.job_id` : sql``}
			where job_month.month_start in (select start from months) and ${kept ?? sql`true`}
			group by job_month.job_id having ${follows(sql`sum(job_month.effective_micro_usd)`)}
			order by sum(job_month.effective_micro_usd) desc, job_month.job_id limit ${limit}
		), spanning as (
			select job_month.job_id, ${added} from job_month
			where job_month.month_start in (select start from months) and job_month.job_id in (select job_id from inside union all select job_id from reaching) group by job_month.job_id
		), page as (
			select * from (select * from single union all select * from spanning) as both_kinds order by effective_micro_usd desc, job_id limit ${limit}
		)
		select page.*, job.name, job.team, job.project, job.class::text as class, job.state::text as state
		from page join job on job.id = page.job_id order by page.effective_micro_usd desc, page.job_id`;
}

function toItem(row: Record<string, unknown>): JobSpend["items"][number] {
	const text = (name: string): string => String(row[name]);
	return {
		key: text("job_id"),
		name: text("name"),
		team: text("team"),
		project: text("project"),
		class: text("class"),
		state: text("state"),
		totalMicroUsd: BigInt(text("effective_micro_usd")),
		listMicroUsd: BigInt(text("list_micro_usd")),
		billedMicroUsd: BigInt(text("billed_micro_usd")),
		gpuMs: BigInt(text("gpu_ms")),
		energyMilliWh: BigInt(text("energy_milli_wh")),
		emissionsMilligrams: BigInt(text("emissions_milligrams")),
		charges: Number(text("charges")),
	};
}

function encode({ key, totalMicroUsd }: JobSpend["items"][number]): string {
	return Buffer.from(JSON.stringify([totalMicroUsd.toString(), key])).toString("base64url");
}

function decode(cursor: string): { cost: string; id: string } {
	try {
		const [cost, id] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
		return { cost, id };
	} catch {
		throw new SpillwayError("invalid_input", "The cursor is not one that this API gave.", {
			fields: [{ path: "cursor", message: "use nextCursor of the page before" }],
		});
	}
}
