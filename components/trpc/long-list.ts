/** Pages up to which a list is refetched at every change. */
const PAGES_SHORT = 3;

/** Whether it is an infinite query with many loaded pages. A refetch requests all of them again, one after the other. */
export function isLongList({ state: { data } }: { state: { data: unknown } }): boolean {
	return typeof data === "object" && data !== null && "pages" in data && Array.isArray(data.pages) && data.pages.length > PAGES_SHORT;
}
