import { z } from "zod";
import { PERFORMANCE_GROUPS } from "#server/contract/inputs/performance.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type Performance, performanceBy } from "./performance-by.ts";

export const performancePageInput = z.strictObject({
	fromMs: z.number().int(),
	toMs: z.number().int(),
	groupBy: z.enum(PERFORMANCE_GROUPS).default("team"),
});

/** Everything that the Performance screen shows for one range. */
export interface PerformancePage {
	groups: Performance;
	/** The preceding range of the same length, for comparison. */
	before: Performance;
	/** Owned sites compared with each cloud. */
	sites: Performance;
	/** The months up to the end of the range; at most twelve. */
	months: Performance;
}

const MONTHS_MS = 365 * DAY_MS;

/** @throws SpillwayError `forbidden`, `invalid_input`. */
export async function performancePage(ctx: ServiceContext, raw: z.input<typeof performancePageInput>): Promise<PerformancePage> {
	const { fromMs, toMs, groupBy } = performancePageInput.parse(raw);
	const nowMs = Math.min(toMs, ctx.clock.nowMs());
	const span = Math.max(1, nowMs - fromMs);
	const [groups, before, sites, months] = await Promise.all([
		performanceBy(ctx, { fromMs, toMs, groupBy }),
		performanceBy(ctx, { fromMs: fromMs - span, toMs: fromMs, groupBy }),
		performanceBy(ctx, { fromMs, toMs, groupBy: "site" }),
		performanceBy(ctx, { fromMs: toMs - MONTHS_MS, toMs, groupBy: "month" }),
	]);
	return { groups, before, sites, months };
}
