/** Parameters of the job list in its URL, and therefore in saved views. */
export const JOB_LIST_PARAMETERS = ["view", "state", "team", "class", "site", "q", "sort", "hide"] as const;
export type JobListParameter = (typeof JOB_LIST_PARAMETERS)[number];

/** Views that a person can save. */
export const SAVED_VIEWS_MAX = 50;

/** The parameters of a query that the job list does not support. */
export function unknownParameters(query: string): string[] {
	const known: readonly string[] = JOB_LIST_PARAMETERS;
	return [...new Set([...new URLSearchParams(query).keys()].filter((name) => !known.includes(name)))];
}
