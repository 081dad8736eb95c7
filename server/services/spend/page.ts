import { z } from "zod";
import type { ServiceContext } from "../context.ts";
import { type SpendDay, spendByDay } from "./by-day.ts";
import { type LostWork, lostWork } from "./lost-work.ts";
import { type MonthForecast, monthForecast } from "./month-forecast.ts";
import { SPEND_GROUPS, type Spend, spendBy } from "./spend-by.ts";
import { type SpotSavings, spotSavings } from "./spot-savings.ts";

export const spendPageInput = z.strictObject({
	fromMs: z.number().int(),
	toMs: z.number().int(),
	groupBy: z.enum(SPEND_GROUPS).default("team"),
});
export type SpendPageInput = z.input<typeof spendPageInput>;

/** Everything that the Spend screen shows of one range. */
export interface SpendPage {
	days: SpendDay[];
	groups: Spend;
	/** $ per GPU-hour by model, of both sides. */
	byAccelerator: Spend;
	lost: LostWork;
	saved: SpotSavings;
	forecast: MonthForecast;
}

export async function spendPage(ctx: ServiceContext, raw: SpendPageInput): Promise<SpendPage> {
	const { fromMs, toMs, groupBy } = spendPageInput.parse(raw);
	const range = { fromMs, toMs };
	const [days, groups, byAccelerator, lost, saved, forecast] = await Promise.all([
		spendByDay(ctx, range),
		spendBy(ctx, { ...range, groupBy }),
		spendBy(ctx, { ...range, groupBy: "accelerator" }),
		lostWork(ctx, range),
		spotSavings(ctx, range),
		monthForecast(ctx),
	]);
	return { days, groups, byAccelerator, lost, saved, forecast };
}
