import { and, asc, eq, isNull, ne, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { Offer } from "#server/domain/capacity.ts";
import type { WarmMachine } from "#server/scheduling/types.ts";
import { LAST_ASSIGNMENT_MS } from "./warm.ts";

/** Machines without a job that have not ended. */
export const warmMachines = () => and(isNull(instance.attemptId), ne(instance.state, "terminated"));

/** The machines without a job that may cost money. Cost: one indexed query. */
export async function readWarmMachines(tx: Tx): Promise<WarmMachine[]> {
	const rows = await tx
		.select({
			...{ instanceId: instance.id, ruleId: sql<string>`${instance.warmRule}`, offerId: sql<string>`${instance.offer}->>'id'` },
			...{ spec: job.spec, microUsdPerHour: instance.microUsdPerHour, state: instance.state, interruptionAt: instance.interruptionAt },
			...{ warmUntil: instance.warmUntil, expiresAt: instance.expiresAt },
		})
		.from(instance)
		.innerJoin(job, eq(job.id, instance.warmFor))
		.where(warmMachines())
		.orderBy(asc(instance.id));
	return rows.map(({ state, interruptionAt, warmUntil, expiresAt, ...row }) => ({
		...row,
		readyUntilMs: state === "ready" && interruptionAt === null && warmUntil ? warmUntil.getTime() - LAST_ASSIGNMENT_MS : null,
		expiresAtMs: expiresAt.getTime(),
	}));
}

/** The offers with the quota that warm machines use left free: the job that takes one needs no more of it. */
export function withQuotaOf(warm: readonly WarmMachine[], offers: readonly Offer[]): readonly Offer[] {
	if (warm.length === 0) return offers;
	const ready = Map.groupBy(
		warm.filter(({ readyUntilMs }) => readyUntilMs !== null),
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
