/** Causes of a change in money between two periods, in the order of a waterfall. */
export const VARIANCE_CAUSES = ["started", "ended", "hours", "capacity", "place", "price", "lost", "idle", "other"] as const;
export type VarianceCause = (typeof VARIANCE_CAUSES)[number];

export const VARIANCE_WORDS: Record<VarianceCause, string> = {
	started: "New work",
	ended: "Finished work",
	hours: "Hours",
	capacity: "Capacity type",
	place: "Region and model",
	price: "Price",
	lost: "Lost work",
	idle: "Idle GPUs",
	other: "Other charges",
};

/** Causes of a change in emissions between two periods, in the order of a waterfall. */
export const CARBON_CAUSES = ["started", "ended", "hours", "place", "power", "grid", "embodied", "lost", "idle", "other"] as const;
export type CarbonCause = (typeof CARBON_CAUSES)[number];

export const CARBON_CAUSE_WORDS: Record<CarbonCause, string> = {
	started: "New work",
	ended: "Finished work",
	hours: "Hours",
	place: "Place and model",
	power: "Power draw",
	grid: "Grid intensity",
	embodied: "Embodied rate",
	lost: "Lost work",
	idle: "Idle GPUs",
	other: "Corrections",
};
