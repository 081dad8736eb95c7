import { and, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { bucketsOf, type Interval } from "#server/accounting/calendar.ts";
import { widenToHours } from "#server/accounting/cover-range.ts";
import { jobSpendInput } from "#server/contract/inputs/spend.ts";
import { jobMonth } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { restricted } from "./filters.ts";
import { spendRange } from "./range.ts";

const MONTHS_MAX = 120;
/** Up to this many months, few jobs span more than one. */
const FEW_MONTHS = 2;
export type JobSpendInput = z.input<typeof jobSpendInput>;

export interface JobSpend {
	/** The requested range, widened to whole months. */
	fromMs: number;
	toMs: number;
	zone: string;
	groupBy: "job";
	/** Most expensive first. */
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
 * Jobs by their cost in the given months. Cost: a page of rows per month by index, plus the jobs that cross an edge of the
 * range; a filter by project or class also reads the rows that it discards.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spendByJob(ctx: Pick<ServiceContext, "actor" | "db">, raw: JobSpendInput): Promise<JobSpend> {
	const teams = teamScope(ctx, "spend:read");
	const { filters, cursor, limit, ...asked } = jobSpendInput.parse(raw);
	const wrong = restricted(filters).filter((name) => name !== "team" && name !== "project" && name !== "class");
	if (wrong.length > 0) {
		throw new SpillwayError("invalid_input", `Cannot group by job and filter by ${wrong.join(", ")}.`, {
			fields: wrong.map((name) => ({ path: name, message: "cannot be combined with groupBy=job" })),
			fix: "Filter jobs by team, project or class, or read the charges of the selection instead.",
		});
	}
	const calendar = await ledgerCalendar(ctx.db);
	const range = widenToHours("month", spendRange(asked, calendar), calendar);
	const months = bucketsOf("month", range, calendar).slice(-MONTHS_MAX);
	const after = cursor === undefined ? null : decode(cursor);
	const kept = and(
		teams === null ? undefined : teams.length === 0 ? sql`false` : inArray(jobMonth.team, [...teams]),
		filters.team?.length ? inArray(jobMonth.team, filters.team) : undefined,
		filters.project?.length ? inArray(job.project, filters.project) : undefined,
		filters.class?.length ? inArray(sql`${job.class}::text`, filters.class) : undefined,
	);
	const ofJobs = restricted(filters).some((name) => name !== "team");
	const rows = await ctx.db.execute<Record<string, unknown>>(mostExpensive(months, kept, ofJobs, after, limit + 1));
	const items = rows.slice(0, limit).map(toItem);
	const last = items.at(-1);
	const nextCursor = rows.length > limit && last ? encode(last) : null;
	return { ...range, zone: calendar.zone, groupBy: "job", items, nextCursor };
}

interface MostExpensive {
	/** The first and last month. */
	edges: { first: SQL; last: SQL };
	kept: SQL;
	/** Whether `kept` needs the job table: months and spans store only the team. */
	ofJobs: boolean;
	/** Whether a row with this cost comes after the previous page. */
	follows: (cost: SQL) => SQL;
	limit: number;
}

/** The top rows of each month's single-month jobs by index and of the jobs that span months, then the top rows overall. */
function mostExpensive(
	months: readonly Interval[],
	kept: SQL | undefined,
	ofJobs: boolean,
	after: { cost: string; id: string } | null,
	limit: number,
): SQL {
	const instants = months.map((m) => sql`${new Date(m.fromMs).toISOString()}::timestamptz`);
	const follows = (cost: SQL) =>
		after === null
			? sql`true`
			: sql`(${cost} <= ${after.cost}::bigint and (${cost} < ${after.cost}::bigint or job_month.job_id > ${after.id}))`;
	const starts = sql.join(
		instants.map((at) => sql`(${at})`),
		sql`, `,
	);
	const edges = { first: instants[0] ?? sql`null`, last: instants.at(-1) ?? sql`null` };
	const asked: MostExpensive = { edges, kept: kept ?? sql`true`, ofJobs, follows, limit };
	const own = sql.raw(SUMS.map((c) => `job_month.${c}`).join(", "));
	const added = sql.raw(SUMS.map((c) => `sum(job_month.${c})::bigint as ${c}`).join(", "));
	return sql`
		with months(start) as (values ${starts}), single as (
			select one.* from months, lateral (
				select job_month.job_id, ${own} from ${withJob(sql`job_month`, ofJobs)}
				where job_month.month_start = months.start and not job_month.several and ${asked.kept} and ${follows(sql`job_month.effective_micro_usd`)}
				order by job_month.effective_micro_usd desc, job_month.job_id limit ${limit}) as one
		), ${months.length <= FEW_MONTHS ? longestOfFew(asked) : longestOfMany(asked)}, spanning as (
			select job_month.job_id, ${added} from job_month
			where job_month.month_start in (select start from months) and job_month.job_id in (select job_id from longest) group by job_month.job_id
		), page as (
			select * from (select * from single union all select * from spanning) as both_kinds order by effective_micro_usd desc, job_id limit ${limit}
		)
		select page.*, job.name, job.team, job.project, job.class::text as class, job.state::text as state
		from page join job on job.id = page.job_id order by page.effective_micro_usd desc, page.job_id`;
}

const withJob = (table: SQL, ofJobs: boolean) => (ofJobs ? sql`${table} join job on job.id = job_month.job_id` : table);

/** Sums all jobs that span months: over few months there are not many. */
function longestOfFew({ kept, ofJobs, follows, limit }: MostExpensive): SQL {
	return sql`longest as (
			select job_month.job_id from ${withJob(sql`job_month`, ofJobs)}
			where job_month.month_start in (select start from months) and job_month.several and ${kept}
			group by job_month.job_id having ${follows(sql`sum(job_month.effective_micro_usd)`)}
			order by sum(job_month.effective_micro_usd) desc, job_month.job_id limit ${limit}
		)`;
}

/**
 * Reads jobs entirely within the range by the index of their spans, and sums jobs that cross an edge. Spans are aliased as
 * job_month, so that the same conditions apply.
 */
function longestOfMany({ edges: { first, last }, kept, ofJobs, follows, limit }: MostExpensive): SQL {
	return sql`inside as (
			select one.job_id from months, lateral (
				select job_month.job_id, job_month.effective_micro_usd from ${withJob(sql`job_span as job_month`, ofJobs)}
				where job_month.first_month = months.start and job_month.last_month <= ${last} and ${kept} and ${follows(sql`job_month.effective_micro_usd`)}
				order by job_month.effective_micro_usd desc, job_month.job_id limit ${limit}) as one
			order by one.effective_micro_usd desc, one.job_id limit ${limit}
		), over_edge as materialized (
			select job_id from job_span where (last_month >= ${first} and first_month < ${first}) or (last_month > ${last} and first_month <= ${last})
		), reaching as (
			select job_month.job_id from over_edge join job_month on job_month.job_id = over_edge.job_id${ofJobs ? sql` join job on job.id = job_month.job_id` : sql``}
			where job_month.month_start in (select start from months) and ${kept}
			group by job_month.job_id having ${follows(sql`sum(job_month.effective_micro_usd)`)}
			order by sum(job_month.effective_micro_usd) desc, job_month.job_id limit ${limit}
		), longest as (select job_id from inside union all select job_id from reaching)`;
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
		throw new SpillwayError("invalid_input", "Invalid cursor.", {
			fields: [{ path: "cursor", message: "use nextCursor of the previous page" }],
		});
	}
}
