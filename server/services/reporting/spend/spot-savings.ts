import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { NO_FILTERS, type SpendFilters } from "./filters.ts";
import { segmentsOf } from "./group-sums.ts";
import { spendRange } from "./range.ts";
import { readSums } from "./read-sums.ts";

export interface SpotSavings {
	paidMicroUsd: bigint;
	/** The same time at the offer's on-demand price at launch; at the spot price when there is none. */
	onDemandMicroUsd: bigint;
	savedMicroUsd: bigint;
	gpuMs: bigint;
	estimate: "same_time_at_on_demand_price_when_taken";
}

/**
 * Savings of spot machines in a range compared with the same machines on demand. An upper bound: work repeated after
 * interruptions is priced on demand too, although on-demand machines would not have repeated it.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spotSavings(
	ctx: Pick<ServiceContext, "actor" | "db">,
	input: { fromMs: number; toMs: number; filters?: SpendFilters | undefined },
): Promise<SpotSavings> {
	const teams = teamScope(ctx, "spend:read");
	const calendar = await ledgerCalendar(ctx.db);
	const rows = await readSums(ctx.db, {
		...segmentsOf(spendRange(input, calendar), null, calendar),
		...{ groupBy: null, byBucket: false, filters: input.filters ?? NO_FILTERS, teams },
		columns: ["effectiveMicroUsd", "listMicroUsd", "gpuMs"],
	});
	const spot = rows.filter((row) => row.capacityType === "spot");
	const sum = (name: "effectiveMicroUsd" | "listMicroUsd" | "gpuMs") => spot.reduce((total, row) => total + row[name], 0n);
	const [paidMicroUsd, onDemandMicroUsd] = [sum("effectiveMicroUsd"), sum("listMicroUsd")];
	return {
		paidMicroUsd,
		onDemandMicroUsd,
		savedMicroUsd: onDemandMicroUsd - paidMicroUsd,
		gpuMs: sum("gpuMs"),
		estimate: "same_time_at_on_demand_price_when_taken",
	};
}
