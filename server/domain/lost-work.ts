/** End states of attempts that did not finish their job's command. */
export const LOST_STATES = ["failed", "interrupted", "evicted", "lost"] as const;
export type LostState = (typeof LOST_STATES)[number];

/** Filter for charges by how their attempts ended, separately or together. */
export const LOST_CHOICES = {
	...{ failed: ["failed"], interrupted: ["interrupted"], evicted: ["evicted"], lost: ["lost"] },
	cut_short: ["interrupted", "evicted", "lost"],
	cancelled: ["cancelled"],
	any: LOST_STATES,
} as const satisfies Record<string, readonly (LostState | "cancelled")[]>;
export type LostChoice = keyof typeof LOST_CHOICES;

export const LOST = Object.keys(LOST_CHOICES) as LostChoice[];
