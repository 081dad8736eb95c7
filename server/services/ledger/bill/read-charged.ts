import { type SQL, sql } from "drizzle-orm";
import type { ChargedInstance } from "#server/accounting/focus/reconcile.ts";
import type { DbOrTx } from "#server/db/client.ts";
import type { ChargeDimensions } from "#server/domain/charge.ts";
import type { BillMonth, CloudProvider } from "./read-billed.ts";

/** The latest metered charge of an instance in the month; corrections are separate. */
export interface LastCharge {
	periodStartMs: number;
	periodEndMs: number;
	dimensions: Omit<ChargeDimensions, "kind">;
	jobId: string | null;
	attemptId: string | null;
}

export interface Charged extends ChargedInstance {
	instanceId: string;
	resourceId: string;
	last: LastCharge | null;
}

const iso = (ms: number) => new Date(ms).toISOString();
const BY_BILL = sql`(c.correction is not null and c.correction in ('bill_price', 'bill_time'))`;

function ofMonth(month: BillMonth): SQL {
	return sql`c.period_start >= ${iso(month.fromMs)}::timestamptz and c.period_start < ${iso(month.toMs)}::timestamptz`;
}

/** Instances of a provider with charges for time before `untilMs`. */
export async function chargedIds(db: DbOrTx, month: BillMonth, provider: CloudProvider, untilMs: number): Promise<string[]> {
	const rows = await db.execute<{ id: string }>(sql`
		select distinct c.instance_id as id from charge as c
		where ${ofMonth(month)} and c.provider = ${provider} and c.instance_id is not null and c.period_start < ${iso(untilMs)}::timestamptz`);
	return rows.map((r) => r.id);
}

interface Row extends Record<string, unknown> {
	id: string;
	resource_id: string;
	charges: number;
	ms: string;
	sums: string[];
	last: { start: number; end: number; dims: Omit<ChargeDimensions, "kind">; job: string | null; attempt: string | null } | null;
}

/** The ledger's amounts for these instances: metered up to `untilMs`, plus corrections by bills so far. */
export async function readCharged(db: DbOrTx, month: BillMonth, ids: readonly string[], untilMs: number): Promise<Charged[]> {
	const sums = (where: SQL) =>
		sql.join(
			["list", "contracted", "effective", "billed"].map(
				(name) => sql`coalesce(sum(c.${sql.raw(`${name}_micro_usd`)}) filter (where ${where}), 0)::text`,
			),
			sql`, `,
		);
	const metered = sql`not ${BY_BILL} and c.period_start < ${iso(untilMs)}::timestamptz`;
	// A reversal of machine time has GPU time; a reversal of a disk has none.
	const disks = sql`${metered} and (c.kind = 'storage' or (c.correction = 'end_learnt_late' and c.gpu_ms = 0))`;
	const rows = await db.execute<Row>(sql`
		select i.id, coalesce(i.provider_instance_id, i.id) as resource_id, count(c.id) filter (where ${metered})::int as charges,
			(coalesce(sum(c.gpu_ms) filter (where ${metered} and c.kind not in ('egress', 'storage')), 0) / i.gpus)::bigint::text as ms,
			array[${sums(metered)}, ${sums(sql`c.correction = 'bill_price'`)}, ${sums(sql`c.correction = 'bill_time'`)}, ${sums(disks)}] as sums,
			(array_agg(jsonb_build_object('start', (extract(epoch from c.period_start) * 1000)::bigint, 'end', (extract(epoch from c.period_end) * 1000)::bigint,
				'dims', jsonb_build_object('team', c.team, 'project', c.project, 'class', c.class, 'siteId', c.site_id, 'provider', c.provider,
					'region', c.region, 'capacityType', c.capacity_type, 'accelerator', c.accelerator),
				'job', c.job_id, 'attempt', c.attempt_id) order by c.period_start desc, c.id desc) filter (where ${metered}))[1] as last
		from instance as i left join charge as c on c.instance_id = i.id and ${ofMonth(month)}
		where i.id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))
		group by i.id order by i.id`);
	return rows.map(toCharged);
}

function toCharged(row: Row): Charged {
	const money = (from: number) => {
		const [list, contracted, effective, billed] = row.sums.slice(from, from + 4).map(BigInt);
		return { list: list ?? 0n, contracted: contracted ?? 0n, effective: effective ?? 0n, billed: billed ?? 0n };
	};
	const { last } = row;
	return {
		...{ instanceId: row.id, resourceId: row.resource_id, charges: row.charges, ms: BigInt(row.ms) },
		...{ metered: money(0), postedPrice: money(4), postedTime: money(8), disks: money(12) },
		last:
			last === null
				? null
				: { periodStartMs: last.start, periodEndMs: last.end, dimensions: last.dims, jobId: last.job, attemptId: last.attempt },
	};
}
