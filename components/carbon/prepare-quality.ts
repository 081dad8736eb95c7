import type { CarbonPage } from "#components/carbon/prepare-bars.ts";
import { shareOf } from "#components/emissions/quality.ts";

type Sums = CarbonPage["groups"]["totals"];

export interface QualityRow {
	id: string;
	kind: string;
	what: string;
	/** Fraction of the total (energy or GPU time), 0 to 1. */
	share: number;
	/** This part is unknown. */
	gap: boolean;
}

/** Data quality of power, grid and embodied figures. Each pair adds up to its total. */
export function prepareQuality(totals: Sums): QualityRow[] {
	const measured = shareOf(totals.measuredEnergyMilliWh, totals.energyMilliWh);
	const hourly = shareOf(totals.hourlyGridMilliWh, totals.energyMilliWh);
	const some = totals.energyMilliWh > 0n ? 1 : 0;
	const noEmissions = shareOf(totals.emissionsUnknownGpuMs, totals.gpuMs);
	const noManufacture = shareOf(totals.embodiedUnknownGpuMs, totals.gpuMs);
	const noContract = shareOf(totals.marketUnknownGpuMs, totals.gpuMs);
	const rows: (QualityRow & { always?: true })[] = [
		{ id: "measured", kind: "Measured", what: "energy from power meters", share: measured, gap: false },
		{
			id: "estimated",
			kind: "Estimated",
			what: "energy from GPU power and load",
			share: some - measured,
			gap: false,
			always: true,
		},
		{ id: "hourly", kind: "Hourly grid", what: "uses the grid's hourly figure", share: hourly, gap: false },
		{ id: "average", kind: "Average grid", what: "yearly average grid intensity", share: some - hourly, gap: false, always: true },
		{ id: "unknown", kind: "Unknown", what: "GPU time without a known grid or power, not in the figures", share: noEmissions, gap: true },
		{
			id: "manufacture",
			kind: "Unpublished",
			what: "GPU time on machines without published embodied emissions",
			share: noManufacture,
			gap: true,
		},
		{
			id: "contract",
			kind: "No contract",
			what: "GPU time without a power contract; excluded from market-based emissions",
			share: noContract,
			gap: true,
		},
	];
	return rows.filter((row) => row.always || row.share > 0).map(({ always: _, ...row }) => row);
}
