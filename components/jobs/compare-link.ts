/** The comparison of two jobs; without the second, the choice of it. */
export function compareHref(a: string, b?: string): string {
	const query = new URLSearchParams({ a, ...(b === undefined ? {} : { b }) });
	return `/jobs/compare?${query}`;
}

/** Jobs to choose from, newest first; shared by server and browser so that the prefetched query key matches. */
export const othersQuery = (team: string) => ({ team: [team], limit: 30 });
