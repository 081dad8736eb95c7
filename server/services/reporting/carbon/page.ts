import { z } from "zod";
import { SPEND_GROUPS } from "#server/contract/inputs/spend.ts";
import { instantMs } from "#server/contract/parts.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type AvoidedEmissions, avoidedEmissions } from "./avoided.ts";
import { type Carbon, carbonBy } from "./carbon-by.ts";
import { type GridView, gridView } from "./grid-view.ts";

export const carbonPageInput = z.strictObject({
	fromMs: instantMs,
	toMs: instantMs,
	groupBy: z.enum(SPEND_GROUPS).default("team"),
});
export type CarbonPageInput = z.input<typeof carbonPageInput>;

/** Everything that the Carbon screen shows for one range. */
export interface CarbonPage {
	/** By day, or by month when the range is longer than DAYS_MAX. */
	series: Carbon;
	groups: Carbon;
	grid: GridView;
	avoided: AvoidedEmissions;
}

const DAYS_MAX = 92;

/** @throws SpillwayError `forbidden`, `invalid_input`. */
export async function carbonPage(ctx: ServiceContext, raw: CarbonPageInput): Promise<CarbonPage> {
	const { fromMs, toMs, groupBy } = carbonPageInput.parse(raw);
	const range = { fromMs, toMs };
	const [series, groups, grid, avoided] = await Promise.all([
		carbonBy(ctx, { ...range, groupBy: toMs - fromMs > DAYS_MAX * DAY_MS ? "month" : "day" }),
		carbonBy(ctx, { ...range, groupBy }),
		gridView(ctx, range),
		avoidedEmissions(ctx, range),
	]);
	return { series, groups, grid, avoided };
}
