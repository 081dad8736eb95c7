import type { z } from "zod";
import type { planDecisionSchema } from "#server/contract/outputs/plan.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { performanceBy } from "../performance/performance-by.ts";
import { spendBy } from "../spend/spend-by.ts";

type Month = NonNullable<z.infer<typeof planDecisionSchema>["outcome"]>["months"][number];

/** GPU time of the company's jobs and its cloud cost since a given time, by month of the ledger's calendar. */
export async function monthsSince(ctx: ServiceContext, fromMs: number): Promise<Month[]> {
	const toMs = ctx.clock.nowMs();
	if (toMs <= fromMs) return [];
	const [spend, performance] = await Promise.all([
		spendBy(ctx, { fromMs, toMs, groupBy: "month" }),
		performanceBy(ctx, { fromMs, toMs, groupBy: "month" }),
	]);
	const cloud = new Map(spend.items.map(({ key, cloudMicroUsd }) => [key.slice(0, 7), Number(cloudMicroUsd) / 1e6]));
	const work = new Map(performance.items.map((item) => [item.key.slice(0, 7), item]));
	const months = [...new Set([...cloud.keys(), ...work.keys()])].sort();
	return months.map((month, i) => {
		const done = work.get(month);
		return {
			month,
			isPart: i === 0 || i === months.length - 1,
			models: done?.models ?? 0,
			meanTimeToModelS: done?.timeToModel?.meanS ?? null,
			meanWaitS: done?.waits?.meanS ?? null,
			cloudUsd: Math.round(cloud.get(month) ?? 0),
		};
	});
}
