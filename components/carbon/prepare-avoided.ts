import type { CarbonPage } from "#components/carbon/prepare-bars.ts";

type Comparison = NonNullable<CarbonPage["avoided"]["home"]>;

export interface AvoidedRow {
	id: Comparison["against"];
	/** "On owned GPUs" */
	other: string;
	calculation: string;
	actualMilligrams: bigint;
	counterfactualMilligrams: bigint;
	/** Negative: bursting added emissions. */
	avoidedMilligrams: bigint;
	/** Fraction of the longest bar, 0 to 1. */
	actualWidth: number;
	counterfactualWidth: number;
}

const OTHER: Record<Comparison["against"], string> = {
	home: "On owned GPUs",
	removed_offer: "At the cheapest excluded offer",
};

/** Available comparisons on a shared scale. */
export function prepareAvoided(avoided: CarbonPage["avoided"]): AvoidedRow[] {
	const all = [avoided.home, avoided.removedOffer].filter((one) => one !== null);
	const longest = Math.max(1, ...all.flatMap((one) => [Number(one.actualMilligrams), Number(one.counterfactualMilligrams)]));
	return all.map((one) => ({
		id: one.against,
		other: OTHER[one.against],
		calculation: one.calculation,
		actualMilligrams: one.actualMilligrams,
		counterfactualMilligrams: one.counterfactualMilligrams,
		avoidedMilligrams: one.avoidedMilligrams,
		actualWidth: Number(one.actualMilligrams) / longest,
		counterfactualWidth: Number(one.counterfactualMilligrams) / longest,
	}));
}
