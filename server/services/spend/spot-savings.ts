import { and, eq, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { coverRange } from "#server/accounting/cover-range.ts";
import { rollup } from "#server/db/schema/charge.ts";
import { teamScope } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { spendRange } from "./range.ts";
import { rollupsOf } from "./sums.ts";

export interface SpotSavings {
	paidMicroUsd: bigint;
	/** The same time at the on-demand price that stood beside the offer when it was taken; at its own price where none did. */
	onDemandMicroUsd: bigint;
	savedMicroUsd: bigint;
	gpuMs: bigint;
	estimate: "same_time_at_on_demand_price_when_taken";
}

/**
 * What spot machines saved in a range against the same machines on demand. Runs that an interruption made longer are in
 * what was paid, so repeated work lowers the saving only as far as on-demand would not have repeated it: an upper bound.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spotSavings(
	ctx: Pick<ServiceContext, "actor" | "db">,
	input: { fromMs: number; toMs: number },
): Promise<SpotSavings> {
	const teams = teamScope(ctx, "spend:read");
	const segments = coverRange(spendRange(input), "month");
	const sum = (column: AnyPgColumn) => sql`coalesce(sum(${column}), 0)`.mapWith((v: unknown) => BigInt(String(v)));
	const [row] = await ctx.db
		.select({ paid: sum(rollup.effectiveMicroUsd), list: sum(rollup.listMicroUsd), gpuMs: sum(rollup.gpuMs) })
		.from(rollup)
		.where(and(rollupsOf(segments, teams), eq(rollup.capacityType, "spot")));
	const { paid = 0n, list = 0n, gpuMs = 0n } = row ?? {};
	return {
		paidMicroUsd: paid,
		onDemandMicroUsd: list,
		savedMicroUsd: list - paid,
		gpuMs,
		estimate: "same_time_at_on_demand_price_when_taken",
	};
}
