export const PREPARED_KINDS = ["image", "data"] as const;
/** `skipped`: never fetched without a job, for the reason in `problem`. */
export const PREPARATION_STATES = ["pending", "ready", "failed", "skipped"] as const;
export const PREPARATION_SOURCES = ["rule", "history"] as const;

/** An image or a data set that a machine fetches while it is kept warm without a job. */
export interface PreparedItem {
	kind: (typeof PREPARED_KINDS)[number];
	/** Image, or URI of the data set, as jobs name it. */
	name: string;
	/** Named by the prewarm rule, or used by recorded jobs. */
	source: (typeof PREPARATION_SOURCES)[number];
	/** Share of these recorded jobs that used it, percent; null: named by the rule. */
	sharePercent: number | null;
	/** As its users state it; null: unknown. */
	sizeGiB: number | null;
	state: (typeof PREPARATION_STATES)[number];
	/** Size on the machine once it is ready. */
	bytes: number | null;
	/** Digest of the image in its registry. */
	digest: string | null;
	problem: string | null;
}
