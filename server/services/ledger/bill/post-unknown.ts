import { and, eq, isNull, like, notInArray, type SQL, sql } from "drizzle-orm";
import { add, type Money } from "#server/accounting/focus/reconcile.ts";
import type { Db, Tx } from "#server/db/client.ts";
import { alert } from "#server/db/schema/alert.ts";
import { newId } from "#server/kernel/ids.ts";
import { postCharges } from "../charge/post-charges.ts";
import { firstHour, moneyCharge, noCause } from "../charge/post-corrections.ts";
import { type BilledGroup, isNamed } from "./read-billed.ts";
import { lockMonth, type Run, writeRows } from "./run.ts";
import { billedPlace } from "./site-of.ts";

/**
 * A bill line with our tag for an unknown machine indicates an orphan. It opens the alert `billed_unknown`. Since it was paid for, it is
 * charged to no team, with the line as its cause.
 */
export async function postUnknown(db: Db, run: Run, groups: readonly BilledGroup[]): Promise<void> {
	await db.transaction(async (tx) => {
		await lockMonth(tx, run.month);
		const posted = await postedByResource(tx, run);
		const kept = await chargedToKept(tx, run);
		const place = await billedPlace(tx, run.provider, null);
		await openAlerts(tx, run, groups);
		await writeRows(
			tx,
			groups.map((g) => ({
				...{ month: run.month.key, provider: run.provider, resourceId: g.resourceId, instanceId: null, billId: g.billId },
				...{
					state: "billed_unknown" as const,
					estimatedMicroUsd: 0n,
					billedMicroUsd: g.money.effective,
					adjustedMicroUsd: g.money.effective,
				},
				facts: { taggedInstanceId: g.taggedInstanceId, lines: g.lines, fromMs: g.fromMs, toMs: g.toMs },
				reconciledAt: new Date(run.nowMs),
			})),
		);
		const drafts = groups.flatMap((g) => {
			const before = [posted.get(g.resourceId), kept.get(g.resourceId)].flatMap((money) => money ?? []);
			const missing = before.reduce((rest, money) => add(rest, money, -1n), g.money);
			return moneyCharge(missing, {
				...firstHour(g.fromMs, g.toMs),
				...noCause("bill_unknown"),
				billLineId: g.firstLineId,
				dimensions: { ...place, region: g.regionId ?? "" },
				kind: "adjustment",
			});
		});
		await postCharges(tx, drafts, run.nowMs);
	});
}

/** Charges of machines without a row that a person kept after a restore: they are metered like others. */
async function chargedToKept(tx: Tx, { month, provider }: Run): Promise<Map<string, Money>> {
	const [from, to] = [new Date(month.fromMs).toISOString(), new Date(month.toMs).toISOString()];
	return sumsByResource(
		tx,
		sql`
		with kept as (
			select distinct coalesce(l.resource_id, l.tagged_instance_id) as resource_id, named.id
			from kept_machine as named join bill_line as l on ${isNamed(sql`named`)}
			where named.provider = ${provider} and l.period_start >= ${from}::timestamptz and l.period_start < ${to}::timestamptz)
		select kept.resource_id, sum(c.list_micro_usd)::text as list, sum(c.contracted_micro_usd)::text as contracted,
			sum(c.effective_micro_usd)::text as effective, sum(c.billed_micro_usd)::text as billed
		from kept join charge as c on c.instance_id = kept.id and c.period_start >= ${from}::timestamptz and c.period_start < ${to}::timestamptz
		group by 1`,
	);
}

function postedByResource(tx: Tx, { month, provider }: Run): Promise<Map<string, Money>> {
	return sumsByResource(
		tx,
		sql`
		select coalesce(l.resource_id, l.tagged_instance_id) as resource_id, sum(c.list_micro_usd)::text as list,
			sum(c.contracted_micro_usd)::text as contracted, sum(c.effective_micro_usd)::text as effective, sum(c.billed_micro_usd)::text as billed
		from charge as c join bill_line as l on l.id = c.bill_line_id
		where c.correction = 'bill_unknown' and c.provider = ${provider}
			and c.period_start >= ${new Date(month.fromMs).toISOString()}::timestamptz and c.period_start < ${new Date(month.toMs).toISOString()}::timestamptz
		group by 1`,
	);
}

async function sumsByResource(tx: Tx, query: SQL): Promise<Map<string, Money>> {
	const rows = await tx.execute<{ resource_id: string; list: string; contracted: string; effective: string; billed: string }>(query);
	return new Map(
		rows.map((r) => [
			r.resource_id,
			{ list: BigInt(r.list), contracted: BigInt(r.contracted), effective: BigInt(r.effective), billed: BigInt(r.billed) },
		]),
	);
}

/** Keeps one open alert per resource and month, and closes alerts of resources that have since become known. */
async function openAlerts(tx: Tx, run: Run, groups: readonly BilledGroup[]): Promise<void> {
	const prefix = `${run.month.key}:${run.provider}:`;
	const subjects = groups.map((g) => `${prefix}${g.resourceId}`);
	await tx
		.update(alert)
		.set({ closedAt: new Date(run.nowMs) })
		.where(
			and(
				...[eq(alert.rule, "billed_unknown"), isNull(alert.closedAt), like(alert.subject, `${prefix.replace(/[%_\\]/g, "\\$&")}%`)],
				subjects.length > 0 ? notInArray(alert.subject, subjects) : undefined,
			),
		);
	if (groups.length === 0) return;
	await tx
		.insert(alert)
		.values(
			groups.map((g, i) => ({
				id: newId("alrt", run.nowMs),
				rule: "billed_unknown" as const,
				subject: subjects[i] ?? "",
				team: null,
				facts: {
					...{ provider: run.provider, resourceId: g.resourceId, month: run.month.key, billId: g.billId },
					...{
						taggedInstanceId: g.taggedInstanceId,
						billedMicroUsd: g.money.billed.toString(),
						region: g.regionId,
						fromMs: g.fromMs,
						toMs: g.toMs,
					},
				},
				openedAt: new Date(run.nowMs),
			})),
		)
		.onConflictDoNothing();
}
