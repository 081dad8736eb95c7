import { and, eq, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { billingTermsOf } from "#server/accounting/billing-terms.ts";
import { type Metered, meterUsage, type Usage } from "#server/accounting/meter-usage.ts";
import type { Tx } from "#server/db/client.ts";
import { hold } from "#server/db/schema/budget.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { defined } from "#server/kernel/assert.ts";
import { accelerator, resolveAlias } from "#server/rates/accelerators.ts";
import { type HoldPosting, lockBudgetsOfInstances, postToHolds } from "../budget/post-to-holds.ts";
import type { LedgerContext } from "./context.ts";
import { postCharges } from "./post-charges.ts";

/**
 * The instances that are not charged up to now or to their end, or whose hold is open though they ended (never launched,
 * or charged up to their end before it was known as such), in the order of their ids.
 */
export async function instancesToMeter(ctx: LedgerContext, options: { nowMs: number; minOpenMs: number }): Promise<string[]> {
	const unmetered = await ctx.db
		.select({ id: instance.id })
		.from(instance)
		.where(and(isNotNull(instance.launchedAt), notMetered(options.nowMs - options.minOpenMs)));
	const held = await ctx.db
		.select({ id: instance.id })
		.from(hold)
		.innerJoin(instance, eq(instance.id, hold.instanceId))
		.where(and(eq(hold.state, "pending"), eq(instance.state, "terminated")));
	return [...new Set([...unmetered, ...held].map((r) => r.id))].sort();
}

function notMetered(beforeMs: number): SQL | undefined {
	return or(
		isNull(instance.meteredUntil),
		and(isNull(instance.terminatedAt), lt(instance.meteredUntil, new Date(beforeMs))),
		and(isNotNull(instance.terminatedAt), ne(instance.meteredUntil, instance.terminatedAt)),
	);
}

/**
 * Charges these instances up to now or their end and posts it to their holds, in one transaction. An instance that
 * another transaction holds at this moment is left out: it never waits while it holds something itself, and two meters
 * never charge the same time. Answers the ids that it settled or charged.
 */
export async function meterInstances(ctx: LedgerContext, ids: readonly string[]): Promise<Set<string>> {
	return ctx.db.transaction(async (tx) => {
		await lockBudgetsOfInstances(tx, ids);
		const rows = await claim(tx, ids);
		const nowMs = ctx.clock.nowMs();
		const metered = rows.map((row) => ({ row, ...meterRow(row, nowMs) }));
		await writeMetered(tx, metered);
		await postToHolds(tx, metered.map(postingOf), nowMs);
		await postCharges(
			tx,
			metered.flatMap((m) => m.charges),
			nowMs,
		);
		return new Set(rows.map((r) => r.instance.id));
	});
}

type Claimed = Awaited<ReturnType<typeof claim>>[number];

async function claim(tx: Tx, ids: readonly string[]) {
	if (ids.length === 0) return [];
	return tx
		.select({ instance, work: { team: job.team, project: job.project, class: job.class } })
		.from(instance)
		.innerJoin(job, eq(job.id, instance.jobId))
		.where(inArray(instance.id, [...ids]))
		.for("no key update", { skipLocked: true });
}

function meterRow({ instance: row, work }: Claimed, nowMs: number): Metered {
	if (row.launchedAt === null) return { charges: [], meteredUntilMs: row.meteredUntil?.getTime() ?? nowMs };
	const startMs = row.launchedAt.getTime();
	const listMicroUsdPerHour = BigInt(row.offer.onDemandMicroUsdPerHour ?? row.microUsdPerHour);
	const model = resolveAlias(row.accelerator);
	const usage: Usage = {
		startMs,
		endMs: row.terminatedAt?.getTime() ?? null,
		prices: [{ fromMs: startMs, microUsdPerHour: row.microUsdPerHour, listMicroUsdPerHour }],
		terms: billingTermsOf(row.provider),
		gpus: row.gpus,
		power: {
			wattsPerGpu: model === null ? null : accelerator(model).boardWatts,
			pue: row.offer.pue,
			gramsPerKwh: row.offer.gridGramsPerKwh,
			load: "busy",
		},
		dimensions: {
			...work,
			siteId: row.siteId,
			provider: row.provider,
			region: row.region,
			capacityType: row.capacityType,
			accelerator: row.accelerator,
		},
		cause: { jobId: row.jobId, attemptId: row.attemptId, instanceId: row.id, allocationId: null, poolId: null },
	};
	return meterUsage(usage, row.meteredUntil?.getTime() ?? null, nowMs);
}

interface MeteredRow extends Metered {
	row: Claimed;
}

/** Ended, and nothing is left to charge: now, or at the next metering when its end lies ahead of our clock. */
function isSettled({ row, meteredUntilMs }: MeteredRow): boolean {
	if (row.instance.terminatedAt === null) return false;
	return row.instance.launchedAt === null || meteredUntilMs >= row.instance.terminatedAt.getTime();
}

async function writeMetered(tx: Tx, metered: readonly MeteredRow[]): Promise<void> {
	const rows = metered
		.filter((m) => m.row.instance.launchedAt !== null)
		.map((m) => ({
			id: m.row.instance.id,
			cost: m.charges.reduce((sum, c) => sum + c.effectiveMicroUsd, 0n).toString(),
			// The end itself, also when it lies before the launch by another clock: equal times are what "settled" is read from.
			until: isSettled(m) ? defined(m.row.instance.terminatedAt, "end").toISOString() : new Date(m.meteredUntilMs).toISOString(),
		}));
	if (rows.length === 0) return;
	await tx.execute(sql`
		update instance set cost_micro_usd = instance.cost_micro_usd + m.cost, metered_until = m.until
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as m(id text, cost bigint, until timestamptz)
		where instance.id = m.id`);
}

function postingOf(m: MeteredRow): HoldPosting {
	return {
		instanceId: m.row.instance.id,
		charges: m.charges.map((c) => ({ atMs: c.periodStartMs, microUsd: c.effectiveMicroUsd })),
		settled: isSettled(m),
	};
}
