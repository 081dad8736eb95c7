import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { gpuUseInput } from "#server/contract/inputs/performance.ts";
import { homeGpuHour } from "#server/db/schema/home-gpu-hour.ts";
import { site } from "#server/db/schema/site.ts";
import { readGpuReadings } from "#server/domain/gpu-readings.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/**
 * Adds a node's GPU readings to the current hour. Not audited: nodes report every minute.
 * @throws SpillwayError `forbidden`, `not_found`, `invalid_input`.
 */
export async function reportGpuUse(ctx: ServiceContext, raw: z.input<typeof gpuUseInput>) {
	authorize(ctx, "site:manage", null);
	const { id, node, text } = gpuUseInput.parse(raw);
	const { meter, percents } = readGpuReadings(text);
	const [known] = await ctx.db.select({ id: site.id }).from(site).where(eq(site.id, id));
	if (!known) throw new SpillwayError("not_found", `There is no site ${id}.`, { fix: "GET /sites lists them." });
	const hour = new Date(Math.floor(ctx.clock.nowMs() / HOUR_MS) * HOUR_MS);
	const sum = percents.reduce((total, percent) => total + percent, 0);
	const row = { readings: BigInt(percents.length), permille: BigInt(Math.round(sum * 10)) };
	await ctx.db
		.insert(homeGpuHour)
		.values({ siteId: id, node, hour, meter, gpus: percents.length, ...row })
		.onConflictDoUpdate({
			target: [homeGpuHour.siteId, homeGpuHour.node, homeGpuHour.hour, homeGpuHour.meter],
			set: {
				gpus: percents.length,
				readings: sql`${homeGpuHour.readings} + excluded.readings`,
				permille: sql`${homeGpuHour.permille} + excluded.permille`,
			},
		});
	return { node, gpus: percents.length, utilisation: Math.round((sum / percents.length) * 10) / 1000 };
}
