import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { PerformanceGroup } from "#server/contract/inputs/performance.ts";
import type { performanceSchema, performanceSumsSchema } from "#server/contract/outputs/performance.ts";
import type { Db } from "#server/db/client.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { spendRange } from "../spend/range.ts";

export type Performance = z.infer<typeof performanceSchema>;
export type PerformanceSums = z.infer<typeof performanceSumsSchema>;
type Meter = Performance["meters"][number];

interface Query {
	fromMs: number;
	toMs: number;
	zone: string;
	/** null: all teams. */
	teams: readonly string[] | null;
}

/**
 * Waits, time to model, throughput, utilization and lost GPU time of jobs and attempts that ended in the range. A job's wait
 * lasts from its submission to its first start on any site.
 * Cost: reads the jobs, attempts and measured minutes that ended in the range twice: for the groups and for the totals.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function performanceBy(
	ctx: Pick<ServiceContext, "actor" | "db">,
	input: { fromMs: number; toMs: number; groupBy: PerformanceGroup },
): Promise<Performance> {
	const teams = teamScope(ctx, "job:read");
	const calendar = await ledgerCalendar(ctx.db);
	const range = spendRange(input, calendar);
	const query = { ...range, zone: calendar.zone, teams };
	const [items, [totals], meters] = await Promise.all([
		readSums(ctx.db, query, input.groupBy),
		readSums(ctx.db, query, null),
		readMeters(ctx.db, query),
	]);
	return { ...range, zone: calendar.zone, groupBy: input.groupBy, items, totals: sumsOf(totals), meters };
}

interface Row extends PerformanceSums {
	key: string;
}

function sumsOf(row: Row | undefined): PerformanceSums {
	const { key: _, ...sums } = row ?? emptyRow("");
	return sums;
}

function emptyRow(key: string): Row {
	return {
		...{ key, models: 0, failed: 0, cancelled: 0, waits: null, timeToModel: null, gpuHours: 0, attempts: 0, interruptions: 0 },
		lostGpuHours: { failed: 0, interrupted: 0, evicted: 0, lost: 0, cancelled: 0 },
		...{ gpuUtilisation: null, measuredGpuHours: 0 },
	};
}

async function readSums(db: Db, query: Query, groupBy: PerformanceGroup | null): Promise<Row[]> {
	if (query.teams?.length === 0) return [];
	const [jobs, attempts, use] = await Promise.all([
		readJobs(db, query, groupBy),
		readAttempts(db, query, groupBy),
		readUse(db, query, groupBy),
	]);
	const keys = [...new Set([...jobs.keys(), ...attempts.keys(), ...use.keys()])];
	const rows = keys.map((key): Row => {
		const measured = use.get(key);
		return {
			...emptyRow(key),
			...jobs.get(key),
			...attempts.get(key),
			...(measured && measured.gpuMinutes > 0
				? { gpuUtilisation: round(measured.permille / measured.gpuMinutes / 1000, 4), measuredGpuHours: round(measured.gpuMinutes / 60, 1) }
				: {}),
		};
	});
	const byTime = groupBy === "day" || groupBy === "month";
	return rows.sort((a, b) => (byTime ? 0 : b.gpuHours - a.gpuHours || b.models - a.models) || (a.key < b.key ? -1 : 1));
}

/** The group key of a row. `at` determines its day and month. */
function keyOf(groupBy: PerformanceGroup | null, { placement, at, zone }: { placement: SQL; at: SQL; zone: string }): SQL {
	switch (groupBy) {
		case null:
			return sql`''`;
		case "team":
			return sql`j.team`;
		case "project":
			return sql`j.project`;
		case "class":
			return sql`j.class::text`;
		case "site":
			return sql`coalesce(${placement}->>'siteId', '')`;
		case "accelerator":
			return sql`coalesce(${placement}->>'accelerator', '')`;
		case "capacityType":
			return sql`coalesce(${placement}->>'capacityType', '')`;
		case "day":
			return sql`to_char(${at} at time zone ${zone}, 'YYYY-MM-DD')`;
		case "month":
			return sql`to_char(${at} at time zone ${zone}, 'YYYY-MM')`;
	}
}

const during = (at: SQL, { fromMs, toMs }: Query): SQL =>
	sql`${at} >= ${new Date(fromMs).toISOString()}::timestamptz and ${at} < ${new Date(toMs).toISOString()}::timestamptz`;
const ofTeams = ({ teams }: Query): SQL =>
	teams === null
		? sql`true`
		: sql`j.team in (${sql.join(
				teams.map((team) => sql`${team}`),
				sql`, `,
			)})`;

async function readJobs(db: Db, query: Query, groupBy: PerformanceGroup | null) {
	const key = keyOf(groupBy, { placement: sql`j.placement`, at: sql`j.finished_at`, zone: query.zone });
	const wait = sql`extract(epoch from j.started_at - j.submitted_at)`;
	const model = sql`extract(epoch from j.finished_at - j.submitted_at)`;
	const times = (value: SQL, where: SQL) => sql`
		avg(${value}) filter (where ${where})::float8, percentile_cont(array[0.5, 0.95]) within group (order by ${value}) filter (where ${where})`;
	const [w, m] = [times(wait, sql`j.started_at is not null`), times(model, sql`j.state = 'succeeded'`)];
	const rows = await db.execute<{ key: string; models: number; failed: number; cancelled: number } & Record<string, unknown>>(sql`
		select key, models, failed, cancelled, w_mean, w[1]::float8 as w_p50, w[2]::float8 as w_p95, m_mean, m[1]::float8 as m_p50, m[2]::float8 as m_p95
		from (
			select ${key} as key,
				count(*) filter (where j.state = 'succeeded')::int, count(*) filter (where j.state = 'failed')::int,
				count(*) filter (where j.state = 'cancelled')::int, ${w}, ${m}
			from job j where j.finished_at is not null and ${during(sql`j.finished_at`, query)} and ${ofTeams(query)} group by 1
		) as sums(key, models, failed, cancelled, w_mean, w, m_mean, m)`);
	return new Map(
		rows.map(({ key: name, models, failed, cancelled, ...t }) => [
			name,
			{ models, failed, cancelled, waits: timesOf(t.w_mean, t.w_p50, t.w_p95), timeToModel: timesOf(t.m_mean, t.m_p50, t.m_p95) },
		]),
	);
}

function timesOf(mean: unknown, p50: unknown, p95: unknown): PerformanceSums["waits"] {
	if (mean === null) return null;
	return { meanS: Math.round(Number(mean)), p50S: Math.round(Number(p50)), p95S: Math.round(Number(p95)) };
}

async function readAttempts(db: Db, query: Query, groupBy: PerformanceGroup | null) {
	const key = keyOf(groupBy, { placement: sql`a.placement`, at: sql`a.finished_at`, zone: query.zone });
	const hours = (where: SQL) => sql`coalesce(sum(a.gpu_ms) filter (where ${where}), 0)::float8 / 3600000`;
	const lost = (state: string) => hours(sql`a.state = ${state}`);
	const rows = await db.execute<Record<string, string | number> & { key: string }>(sql`
		select ${key} as key, count(*)::int as attempts, ${hours(sql`true`)} as "gpuHours",
			count(*) filter (where a.state in ('interrupted', 'evicted', 'lost'))::int as interruptions,
			${lost("failed")} as failed, ${lost("interrupted")} as interrupted, ${lost("evicted")} as evicted,
			${lost("lost")} as lost, ${lost("cancelled")} as cancelled
		from attempt a join job j on j.id = a.job_id
		where a.finished_at is not null and ${during(sql`a.finished_at`, query)} and ${ofTeams(query)} group by 1`);
	return new Map(
		rows.map(({ key: name, attempts, gpuHours, interruptions, ...by }) => [
			name,
			{
				...{ attempts: Number(attempts), gpuHours: round(Number(gpuHours), 1), interruptions: Number(interruptions) },
				lostGpuHours: {
					...{ failed: round(Number(by.failed), 1), interrupted: round(Number(by.interrupted), 1), evicted: round(Number(by.evicted), 1) },
					...{ lost: round(Number(by.lost), 1), cancelled: round(Number(by.cancelled), 1) },
				},
			},
		]),
	);
}

/** Agents measure machines every minute. Owned nodes report by hour, include idle GPUs and belong to no team. */
async function readUse(
	db: Db,
	query: Query,
	groupBy: PerformanceGroup | null,
): Promise<Map<string, { gpuMinutes: number; permille: number }>> {
	const ofAgents = keyOf(groupBy, { placement: sql`a.placement`, at: sql`g.minute`, zone: query.zone });
	const parts = [
		sql`select ${ofAgents} as key, g.gpus::float8 as weight, g.gpus::float8 * g.utilisation_permille as permille
			from gpu_minute g join instance i on i.id = g.instance_id join attempt a on a.id = i.attempt_id join job j on j.id = a.job_id
			where ${during(sql`g.minute`, query)} and ${ofTeams(query)}`,
	];
	const home = homeKey(groupBy, query.zone);
	// Each hour counts once per GPU, regardless of the number of readings.
	if (home && query.teams === null)
		parts.push(sql`select ${home} as key, h.gpus::float8 * 60, h.gpus::float8 * 60 * h.permille::float8 / h.readings::float8
			from home_gpu_hour h where h.readings > 0 and ${during(sql`h.hour`, query)}`);
	const rows = await db.execute<{ key: string; weight: number; permille: number }>(
		sql`select key, sum(weight)::float8 as weight, sum(permille)::float8 as permille from (${sql.join(parts, sql` union all `)}) as use group by key`,
	);
	return new Map(rows.map(({ key, weight, permille }) => [key, { gpuMinutes: Number(weight), permille: Number(permille) }]));
}

function homeKey(groupBy: PerformanceGroup | null, zone: string): SQL | null {
	switch (groupBy) {
		case null:
			return sql`''`;
		case "site":
			return sql`h.site_id`;
		case "capacityType":
			return sql`'owned'`;
		case "day":
			return sql`to_char(h.hour at time zone ${zone}, 'YYYY-MM-DD')`;
		case "month":
			return sql`to_char(h.hour at time zone ${zone}, 'YYYY-MM')`;
		default:
			return null;
	}
}

async function readMeters(db: Db, query: Query): Promise<Meter[]> {
	const rows = await db.execute<{ meter: Meter }>(sql`
		select distinct meter from home_gpu_hour h where ${during(sql`h.hour`, query)} and ${query.teams === null}
		union select 'agent' where exists (select from gpu_minute g where ${during(sql`g.minute`, query)}) order by 1`);
	return rows.map(({ meter }) => meter);
}

function round(value: number, digits: number): number {
	return Math.round(value * 10 ** digits) / 10 ** digits;
}
