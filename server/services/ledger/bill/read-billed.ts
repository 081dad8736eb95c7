import { arrayOverlaps, type SQL, sql } from "drizzle-orm";
import { divideRounded, parseDecimal } from "#server/accounting/focus/decimal.ts";
import { providerNamed } from "#server/accounting/focus/providers.ts";
import type { BilledResource, Money } from "#server/accounting/focus/reconcile.ts";
import type { Db } from "#server/db/client.ts";
import { bill } from "#server/db/schema/bill.ts";
import { restated } from "./restate-lines.ts";

export type CloudProvider = "aws" | "azure" | "gcp";

/** A UTC month, as used by providers. */
export interface BillMonth {
	key: string;
	fromMs: number;
	toMs: number;
}

export interface BilledGroup extends BilledResource {
	provider: CloudProvider;
	resourceId: string;
	/** Null when the line carries our tag but no such instance is known. */
	instanceId: string | null;
	taggedInstanceId: string | null;
	regionId: string | null;
	billId: string;
	firstLineId: string;
	fromMs: number;
	toMs: number;
	/** Whether any line belongs to an issued invoice. */
	invoiced: boolean;
}

/** Lines of later bills may still belong to a month, since corrections arrive with the next bills. */
const LATER_MONTHS = 3;

export function linesOfMonth(month: BillMonth): SQL {
	const last = new Date(month.toMs);
	last.setUTCMonth(last.getUTCMonth() + LATER_MONTHS - 1);
	return sql`l.month >= ${month.key} and l.month <= ${last.toISOString().slice(0, 7)}
		and l.period_start >= ${iso(month.fromMs)}::timestamptz and l.period_start < ${iso(month.toMs)}::timestamptz`;
}

function iso(ms: number): string {
	return new Date(ms).toISOString();
}

/**
 * SQL condition: line `l` refers to the instance by its resource, which is the provider's id alone or at the end of an ARN or path. Google
 * machines are identified by zone and number, Azure machines by resource group and name; both are separate segments of the path. Azure's
 * bills use a different letter case than its API. Google documents no form of the path: its API writes `instances`, and bills with `disk`
 * have been seen, so `instance` is accepted too. One value on each side allows a hash join for a million lines.
 */
export function isNamed(instance: SQL): SQL {
	return sql`lower(${instance}.provider_instance_id) = lower(case
		when l.resource_id ~ '/zones/[^/]+/instances?/[^/]+$' then regexp_replace(l.resource_id, '^.*/zones/([^/]+)/instances?/([^/]+)$', '\\1/\\2')
		when l.resource_id ~* '/resourcegroups/[^/]+/providers/microsoft.compute/virtualmachines/[^/]+$'
			then regexp_replace(l.resource_id, '^.*/resourcegroups/([^/]+)/.*/([^/]+)$', '\\1/\\2', 'i')
		else substring(l.resource_id from '[^/:]+$') end)`;
}

interface GroupRow extends Record<string, unknown> {
	provider_name: string;
	resource_id: string | null;
	tagged: string | null;
	instance_id: string | null;
	instance_provider: string | null;
	region_id: string | null;
	bill_id: string;
	first_line: string;
	lines: number;
	from_ms: string;
	to_ms: string;
	list: string;
	contracted: string;
	effective: string;
	billed: string;
	ms: string | null;
	other: string;
	invoiced: boolean;
	disks: boolean;
}

/**
 * Usage lines for our machines, identified by our tag or by the resource id (alone, or at the end of an ARN or path), summed by resource.
 */
export async function readBilled(db: Db, month: BillMonth): Promise<BilledGroup[]> {
	const rows = await db.execute<GroupRow>(sql`
		with place as (select * from jsonb_to_recordset(${JSON.stringify(await quantityPlaces(db, month))}::jsonb) as p(bill text, q integer, u integer, pq integer, pu integer)),
		line as (
			select l.*, coalesce(l.values->>p.q, l.values->>p.pq) as quantity, lower(coalesce(nullif(l.values->>p.u, ''), l.values->>p.pu)) as unit,
				lower(concat_ws(' ', l.values->>p.u, l.values->>p.pu)) ~ '\\m(mo|months?)\\M' as by_month,
				coalesce(tagged.id, named.id) as instance_id, coalesce(tagged.provider, named.provider)::text as instance_provider
			from bill_line as l join place as p on p.bill = l.bill_id
			left join instance as tagged on tagged.id = l.tagged_instance_id
			left join instance as named on tagged.id is null and ${isNamed(sql`named`)}
			where ${linesOfMonth(month)} and not ${restated(sql`l`)} and l.charge_category in ('Usage', 'Adjustment')
				and (l.tagged_instance_id is not null or named.id is not null)
		), timed as (
			select line.*, case when quantity ~ '^-?[0-9]+(\\.[0-9]*)?([eE]-?[0-9]+)?$' then quantity::numeric * case
				when unit in ('hours', 'hour', 'hrs', 'hr', '1 hour') then 3600000 when unit in ('minutes', 'minute') then 60000
				when unit in ('seconds', 'second') then 1000 end end as ms from line
		)
		select provider_name, resource_id, tagged_instance_id as tagged, instance_id, instance_provider, min(region_id) as region_id,
			max(bill_id) as bill_id, min(id) as first_line, count(*)::int as lines,
			(extract(epoch from min(period_start)) * 1000)::bigint::text as from_ms, (extract(epoch from max(period_end)) * 1000)::bigint::text as to_ms,
			sum(list_nano_usd)::text as list, sum(contracted_nano_usd)::text as contracted, sum(effective_nano_usd)::text as effective,
			sum(billed_nano_usd)::text as billed, round(sum(ms))::text as ms,
			coalesce(sum(effective_nano_usd) filter (where ms is null), 0)::text as other, bool_or(invoice_id is not null) as invoiced, bool_or(by_month) as disks
		from timed group by provider_name, resource_id, tagged_instance_id, instance_id, instance_provider`);
	return rows.flatMap(toGroup);
}

function toGroup(row: GroupRow): BilledGroup[] {
	const provider = providerNamed(row.provider_name);
	if (provider === null || (row.instance_id !== null && row.instance_provider !== provider)) return [];
	const money: Money = {
		list: micro(row.list),
		contracted: micro(row.contracted),
		effective: micro(row.effective),
		billed: micro(row.billed),
	};
	return [
		{
			...{ provider, money, lines: row.lines, otherMicroUsd: micro(row.other), disks: row.disks },
			// Google bills a machine's cores, memory and GPUs as parallel lines, each with its own duration.
			ms: row.ms === null || provider === "gcp" ? null : BigInt(row.ms),
			resourceId: row.resource_id ?? row.tagged ?? row.instance_id ?? "",
			instanceId: row.instance_id,
			taggedInstanceId: row.tagged,
			regionId: row.region_id,
			billId: row.bill_id,
			firstLineId: row.first_line,
			fromMs: Number(row.from_ms),
			toMs: Number(row.to_ms),
			invoiced: row.invoiced,
		},
	];
}

/** Converts sums of nano-dollars to whole micro-dollars. */
export function micro(nano: string): bigint {
	return divideRounded(parseDecimal(nano, 0) ?? 0n, 1_000n);
}

/** Where the quantity and unit are in each bill of the month. */
async function quantityPlaces(db: Db, month: BillMonth): Promise<{ bill: string; q: number; u: number; pq: number; pu: number }[]> {
	const months = [month.key];
	for (let n = 1; n <= LATER_MONTHS; n++) {
		const at = new Date(month.fromMs);
		at.setUTCMonth(at.getUTCMonth() + n);
		months.push(at.toISOString().slice(0, 7));
	}
	const bills = await db.select({ id: bill.id, columns: bill.columns }).from(bill).where(arrayOverlaps(bill.months, months));
	// A missing position reads as null.
	const at = (columns: string[], name: string) => (columns.includes(name) ? columns.indexOf(name) : 100_000);
	return bills.map(({ id, columns }) => ({
		bill: id,
		...{ q: at(columns, "ConsumedQuantity"), u: at(columns, "ConsumedUnit") },
		...{ pq: at(columns, "PricingQuantity"), pu: at(columns, "PricingUnit") },
	}));
}

/**
 * The time each provider's bills of the month cover: later charges are not billed yet. Lines longer than a day (fees, monthly storage) are
 * ignored when there are shorter ones; otherwise the bill is monthly and extends to now. Returns the month's start when the bills have no
 * machine usage.
 */
export async function billedUntil(db: Db, month: BillMonth, nowMs: number): Promise<Map<CloudProvider, number>> {
	const rows = await db.execute<{ provider_name: string; short_ms: string | null; long_ms: string | null }>(sql`
		select provider_name, ${latestEnd(sql`<=`)} as short_ms, ${latestEnd(sql`>`)} as long_ms
		from bill_line as l where ${linesOfMonth(month)} group by provider_name`);
	const ends = new Map<CloudProvider, { short: number; long: number }>();
	for (const row of rows) {
		const provider = providerNamed(row.provider_name);
		if (!provider) continue;
		const { short, long } = ends.get(provider) ?? { short: 0, long: 0 };
		ends.set(provider, { short: Math.max(short, Number(row.short_ms ?? 0)), long: Math.max(long, Number(row.long_ms ?? 0)) });
	}
	const until = ({ short, long }: { short: number; long: number }) => (short > 0 ? short : Math.min(long, nowMs));
	return new Map([...ends].map(([provider, end]) => [provider, Math.min(month.toMs, Math.max(month.fromMs, until(end)))]));
}

const latestEnd = (isLong: SQL): SQL =>
	sql`(extract(epoch from max(period_end) filter (where l.charge_category = 'Usage' and l.period_end - l.period_start ${isLong} interval '1 day')) * 1000)::bigint::text`;
