import { and, asc, eq, gt, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { hold } from "#server/db/schema/budget.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { hoursSince } from "#server/scheduling/prewarm/hours.ts";
import { MachineDemand } from "#server/scheduling/prewarm/machine-demand.ts";
import type { LikeJob } from "#server/scheduling/prewarm/plan-live.ts";
import { isFor, isOfKind, type LiveRule } from "#server/scheduling/prewarm/serves.ts";
import type { IdleMachine, PrewarmFacts } from "#server/scheduling/prewarm/types.ts";
import type { TimeSpread } from "#server/scheduling/types.ts";
import { warmBudgetOf } from "#server/services/capacity/instance/warm.ts";
import { diskPriceOf, readStoppedStart } from "#server/services/capacity/instance/warm-machines.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { budgetViews } from "#server/services/ledger/budget/views.ts";

/** Past use from which demand is learned. */
const LOOK_BACK_MS = 28 * DAY_MS;

type LiveFacts = Omit<PrewarmFacts, "price" | "savedMs" | "nowMs">;

/**
 * What the decision of a prewarm rule depends on, from our own records. Cost: the machines of this kind of the last four weeks, with the
 * specs of their jobs; the caller reads them every few minutes.
 */
export async function readPrewarmFacts(
	tx: Tx,
	rule: LiveRule,
	{ nowMs, bootMs }: { nowMs: number; bootMs: number },
): Promise<{ facts: LiveFacts; like: LikeJob | null; specs: JobSpec[]; stoppedStart: TimeSpread }> {
	const { like, specs, neededAtMs, ...demand } = await readDemand(tx, rule, nowMs);
	const calendar = await ledgerCalendar(tx);
	const { idle, leftMicroUsd } = await readIdle(tx, rule.id, { nowMs, bootMs });
	const budget = warmBudgetOf(rule.id, rule.effect.capMicroUsdPerMonth);
	const [view] = await budgetViews(tx, [{ ...budget, scope: "true", atCap: "hold", line: 0 }], nowMs);
	const [expired] = await tx
		.select({ at: sql<string | null>`max(extract(epoch from ${instance.warmUntil}) * 1000)` })
		.from(instance)
		.where(
			and(
				eq(instance.warmRule, rule.id),
				isNull(instance.attemptId),
				sql`${instance.reason}->'facts'->>'why' in ('idle_limit', 'stop_refused')`,
			),
		);
	return {
		...{ like, specs, stoppedStart: await readStoppedStart(tx) },
		facts: {
			...demand,
			...{ idle, neededAtMs },
			scheduledSinceMs: rule.effect.hours && hoursSince(rule.effect.hours, calendar, nowMs + bootMs),
			// With the holds of machines that are ending, but not of those in `idle`, which count by themselves.
			spentMicroUsd: (view?.postedMicroUsd ?? 0n) + (view?.heldMicroUsd ?? 0n) - leftMicroUsd,
			expiredAtMs: expired?.at == null ? null : Math.round(Number(expired.at)),
		},
	};
}

/** Use of such machines by such jobs, hour by hour, and these jobs, the last one last. Only jobs on one machine can use one that is kept warm. */
async function readDemand(
	tx: Tx,
	rule: LiveRule,
	nowMs: number,
): Promise<Pick<LiveFacts, "needed" | "inUse" | "neededAtMs"> & { like: LikeJob | null; specs: JobSpec[] }> {
	const { accelerator, gpusPerMachine: gpus, state } = rule.effect;
	const begun = sql<Date>`coalesce(${instance.assignedAt}, ${instance.intendedAt})`;
	const rows = await tx
		.select({
			...{ jobId: job.id, spec: job.spec, offer: instance.offer, siteId: instance.siteId },
			fromMs: sql<string>`extract(epoch from ${begun}) * 1000`,
			terminatedAt: instance.terminatedAt,
		})
		.from(instance)
		.innerJoin(job, eq(job.id, instance.jobId))
		.where(
			and(
				...[eq(instance.accelerator, accelerator), eq(instance.gpus, gpus), gt(instance.intendedAt, new Date(nowMs - LOOK_BACK_MS))],
				sql`(${job.spec}->>'nodes')::int = 1`,
				or(isNotNull(instance.launchedAt), ne(instance.state, "terminated")),
			),
		)
		.orderBy(asc(begun), asc(instance.id));
	const uses = rows.filter(
		(row) =>
			isOfKind(rule.effect, { accelerator, gpus, siteId: row.siteId, capacityType: row.offer.capacityType }) && isFor(rule, row.spec),
	);
	const [first, last] = [uses[0], uses.at(-1)];
	if (!first || !last) return { needed: null, inUse: 0, neededAtMs: null, like: null, specs: [] };
	const changes = uses.flatMap(({ fromMs, terminatedAt }) => [
		{ atMs: Number(fromMs), by: 1 },
		...(terminatedAt ? [{ atMs: terminatedAt.getTime(), by: -1 }] : []),
	]);
	const demand = new MachineDemand(Number(first.fromMs), state);
	for (const { atMs, by } of changes.toSorted((a, b) => a.atMs - b.atMs || a.by - b.by)) demand.add(by, atMs);
	demand.advance(nowMs);
	const { jobId, spec, offer } = last;
	const neededAtMs = Math.round(Number(last.fromMs));
	const specs = uses.map((use) => use.spec);
	return { needed: demand.needed, inUse: demand.inUse, neededAtMs, specs, like: { jobId, spec, offerId: offer.id } };
}

/** The machines that the rule keeps now, and what is left of their holds in total. */
async function readIdle(
	tx: Tx,
	ruleId: string,
	{ nowMs, bootMs }: { nowMs: number; bootMs: number },
): Promise<{ idle: IdleMachine[]; leftMicroUsd: bigint }> {
	const rows = await tx
		.select({ instance, amountMicroUsd: hold.amountMicroUsd, postedMicroUsd: hold.postedMicroUsd })
		.from(instance)
		.innerJoin(hold, and(eq(hold.instanceId, instance.id), hold.warm))
		.where(
			and(
				...[eq(instance.warmRule, ruleId), isNull(instance.attemptId), ne(instance.state, "terminated")],
				gt(instance.warmUntil, new Date(nowMs)),
			),
		);
	const idle = rows.map(({ instance: row, amountMicroUsd, postedMicroUsd }) => ({
		...{ id: row.id, microUsdPerHour: row.keepStopped ? diskPriceOf(row.offer) : row.microUsdPerHour },
		holdMicroUsd: amountMicroUsd > postedMicroUsd ? amountMicroUsd - postedMicroUsd : 0n,
		idleSinceMs: row.readyAt?.getTime() ?? Math.max(nowMs, row.intendedAt.getTime() + bootMs),
	}));
	return { idle, leftMicroUsd: idle.reduce((sum, { holdMicroUsd }) => sum + holdMicroUsd, 0n) };
}
