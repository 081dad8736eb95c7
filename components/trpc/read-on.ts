interface Pages {
	data?: { pages: readonly unknown[] } | undefined;
	isError: boolean;
}

/** Times that the next page is asked for before the person has to ask again. */
const TRIES_MAX = 5;

/**
 * Reads the page after those that are shown. A change that is told meanwhile begins the reading of them anew, which drops the
 * page that was on its way: it is asked for again, or a click would be lost.
 */
export async function readOn(shown: number, fetchNextPage: () => Promise<Pages>): Promise<void> {
	for (let tries = 0; tries < TRIES_MAX; tries++) {
		const { data, isError } = await fetchNextPage();
		if (isError || (data?.pages.length ?? 0) > shown) return;
	}
}
