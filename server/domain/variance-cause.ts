/** Why money changed between two periods, in the order of a waterfall. */
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
