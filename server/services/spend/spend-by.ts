import { desc, type SQL, sql } from "drizzle-orm";
import { coverRange } from "#server/accounting/cover-range.ts";
import { rollup } from "#server/db/schema/charge.ts";
import { teamScope } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { spendRange } from "./range.ts";
import { addSpend, NO_SPEND, rollupsOf, SPEND_COLUMNS, type SpendSums, toSpend } from "./sums.ts";

export const SPEND_GROUPS = ["day", "team", "project", "class", "provider", "region", "capacityType", "accelerator", "site"] as const;
export type SpendGroup = (typeof SPEND_GROUPS)[number];

export interface SpendItem extends SpendSums {
	/** The team, region, day (`2026-11-30`, UTC) …; "" is what has none, such as idle capacity by team. */
	key: string;
}

export interface Spend {
	/** The range in whole UTC hours, the asked one widened to them. */
	fromMs: number;
	toMs: number;
	groupBy: SpendGroup;
	/** Dearest first; days in order. */
	items: SpendItem[];
	totals: SpendSums;
}

const KEYS: Record<SpendGroup, SQL> = {
	day: sql`(${rollup.bucketStart} at time zone 'UTC')::date`,
	team: sql`${rollup.team}`,
	project: sql`${rollup.project}`,
	class: sql`${rollup.class}`,
	provider: sql`${rollup.provider}`,
	region: sql`${rollup.region}`,
	capacityType: sql`${rollup.capacityType}`,
	accelerator: sql`${rollup.accelerator}`,
	site: sql`${rollup.siteId}`,
};

/**
 * What was spent in a range, by one dimension. A data scientist sees their own teams; idle capacity belongs to none.
 * Cost: reads as few rollup rows as cover the range (months, days, hours), never charges.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spendBy(
	ctx: Pick<ServiceContext, "actor" | "db">,
	input: { fromMs: number; toMs: number; groupBy: SpendGroup },
): Promise<Spend> {
	const teams = teamScope(ctx, "spend:read");
	const range = spendRange(input);
	const segments = coverRange(range, input.groupBy === "day" ? "day" : "month");
	const key = KEYS[input.groupBy];
	const rows = await ctx.db
		.select({ key: sql<string>`${key}::text`, ...SPEND_COLUMNS })
		.from(rollup)
		.where(rollupsOf(segments, teams))
		.groupBy(key)
		.orderBy(...(input.groupBy === "day" ? [key] : [desc(sql`sum(${rollup.effectiveMicroUsd})`), key]));
	const items = rows.map(({ key: name, ...sums }) => ({ key: name, ...toSpend(sums) }));
	return { ...range, groupBy: input.groupBy, items, totals: items.reduce((sum: SpendSums, item) => addSpend(sum, item), NO_SPEND) };
}
