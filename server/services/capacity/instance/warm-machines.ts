import { and, asc, eq, isNull, ne, sql } from "drizzle-orm";
import { diskMicroUsdPerHourMax } from "#server/accounting/disk.ts";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance, type StoredOffer } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { LIMITS } from "#server/scheduling/limits.ts";
import type { TimeSpread, WarmMachine } from "#server/scheduling/types.ts";
import { LAST_ASSIGNMENT_MS } from "./warm.ts";

/** Machines without a job that have not ended. */
export const warmMachines = () => and(isNull(instance.attemptId), ne(instance.state, "terminated"));

/** The machines without a job that may cost money. Cost: one indexed query. */
export async function readWarmMachines(tx: Tx): Promise<WarmMachine[]> {
	const rows = await tx
		.select({
			...{ instanceId: instance.id, ruleId: sql<string>`${instance.warmRule}`, offerId: sql<string>`${instance.offer}->>'id'` },
			...{ spec: job.spec, microUsdPerHour: instance.microUsdPerHour, state: instance.state, interruptionAt: instance.interruptionAt },
			...{ warmUntil: instance.warmUntil, expiresAt: instance.expiresAt, stopCalledAt: instance.stopCalledAt },
			...{ stoppedFrom: instance.stoppedFrom, offer: instance.offer },
		})
		.from(instance)
		.innerJoin(job, eq(job.id, instance.warmFor))
		.where(warmMachines())
		.orderBy(asc(instance.id));
	const start = rows.some(({ stoppedFrom }) => stoppedFrom !== null) ? await readStoppedStart(tx) : null;
	return rows.map(({ state, interruptionAt, warmUntil, expiresAt, stopCalledAt, stoppedFrom, offer, ...row }) => {
		const isStopped = stoppedFrom !== null;
		const canTake = state === "ready" && interruptionAt === null && (stopCalledAt === null || isStopped);
		return {
			...row,
			...(isStopped && { microUsdPerHour: diskPriceOf(offer), start: start ?? LIMITS.stoppedStartMs }),
			readyUntilMs: canTake && warmUntil ? warmUntil.getTime() - LAST_ASSIGNMENT_MS : null,
			expiresAtMs: expiresAt.getTime(),
		};
	});
}

/** Highest price of an hour while the machine is stopped. */
export function diskPriceOf({ disk }: Pick<StoredOffer, "disk">): bigint {
	const price = disk?.microUsdPerMonth ?? null;
	return diskMicroUsdPerHourMax({ microUsdPerMonth: price === null ? null : BigInt(price) });
}

/** Starts from which the time of the next one is learned, and the fewest that replace the assumption. */
const STARTS_MAX = 100;
const STARTS_MIN = 3;

/** How long stopped machines took from the call that starts them until their agent enrolled; the assumption while too few are recorded. */
export async function readStoppedStart(tx: Tx): Promise<TimeSpread> {
	const started = sql`select extract(epoch from ${attempt.stagingAt} - ${instance.startCalledAt}) * 1000 as ms
		from ${instance} inner join ${attempt} on ${attempt.id} = ${instance.attemptId}
		where ${instance.startCalledAt} is not null and ${attempt.stagingAt} > ${instance.startCalledAt}
		order by ${instance.startCalledAt} desc limit ${STARTS_MAX}`;
	const [row] = await tx.execute<{ count: number; p50: number | null; p90: number | null }>(sql`
		select count(*)::int as count, percentile_cont(0.5) within group (order by ms) as p50,
			percentile_cont(0.9) within group (order by ms) as p90 from (${started}) as recent`);
	if (!row || row.count < STARTS_MIN || row.p50 === null || row.p90 === null) return LIMITS.stoppedStartMs;
	return { p50Ms: Math.round(Number(row.p50)), p90Ms: Math.round(Number(row.p90)) };
}

/** The offers with the quota that warm machines use left free: the job that takes one needs no more of it. */
export function withQuotaOf(warm: readonly WarmMachine[], offers: readonly Offer[]): readonly Offer[] {
	if (warm.length === 0) return offers;
	const ready = Map.groupBy(
		// A stopped machine uses no quota.
		warm.filter(({ readyUntilMs, start }) => readyUntilMs !== null && start === undefined),
		({ offerId }) => offerId,
	);
	return offers.map((offer) => {
		const gpus = (ready.get(offer.id)?.length ?? 0) * offer.gpus;
		if (gpus === 0) return offer;
		const { quota, quotaGpusFree } = offer;
		const units = quota?.unit === "cores" ? (gpus / offer.gpus) * offer.vcpus : gpus;
		return {
			...offer,
			...(quotaGpusFree != null && { quotaGpusFree: quotaGpusFree + gpus }),
			...(quota && { quota: { ...quota, used: Math.max(0, quota.used - units) } }),
		};
	});
}
