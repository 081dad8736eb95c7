import type { CarbonPage } from "#components/carbon/prepare-bars.ts";
import { shareOf } from "#components/carbon/quality.ts";

type Sums = CarbonPage["groups"]["totals"];

export interface QualityRow {
	id: string;
	kind: string;
	what: string;
	/** Of its whole (energy, or GPU time), 0 to 1. */
	share: number;
	/** Nothing is known of this part. */
	gap: boolean;
}

/** What stands behind the figures: power, grid, and what nobody has published. Each pair adds up to all of its whole. */
export function prepareQuality(totals: Sums): QualityRow[] {
	const measured = shareOf(totals.measuredEnergyMilliWh, totals.energyMilliWh);
	const hourly = shareOf(totals.hourlyGridMilliWh, totals.energyMilliWh);
	const some = totals.energyMilliWh > 0n ? 1 : 0;
	const noEmissions = shareOf(totals.emissionsUnknownGpuMs, totals.gpuMs);
	const noManufacture = shareOf(totals.embodiedUnknownGpuMs, totals.gpuMs);
	const noContract = shareOf(totals.marketUnknownGpuMs, totals.gpuMs);
	const rows: (QualityRow & { always?: true })[] = [
		{ id: "measured", kind: "Measured", what: "energy read from power meters", share: measured, gap: false },
		{
			id: "estimated",
			kind: "Estimated",
			what: "energy from the GPU's power and its load",
			share: some - measured,
			gap: false,
			always: true,
		},
		{ id: "hourly", kind: "Hourly grid", what: "weighed with the grid's own hour", share: hourly, gap: false },
		{ id: "average", kind: "Average grid", what: "weighed with an average of a year", share: some - hourly, gap: false, always: true },
		{ id: "unknown", kind: "Not known", what: "GPU time without a known grid or power, not in the figures", share: noEmissions, gap: true },
		{
			id: "manufacture",
			kind: "Not published",
			what: "GPU time whose machine's manufacture nobody has published",
			share: noManufacture,
			gap: true,
		},
		{
			id: "contract",
			kind: "No contract",
			what: "GPU time without a power contract on record: not in the market-based figure",
			share: noContract,
			gap: true,
		},
	];
	return rows.filter((row) => row.always || row.share > 0).map(({ always: _, ...row }) => row);
}
