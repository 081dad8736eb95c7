interface Pages {
	data?: { pages: readonly unknown[] } | undefined;
	isError: boolean;
}

/** Retries of the next page before the user must retry. */
const TRIES_MAX = 5;

/**
 * Loads the next page. A change meanwhile refetches the list and drops the pending page, which is then requested again
 * so that the click is not lost.
 */
export async function readOn(shown: number, fetchNextPage: () => Promise<Pages>): Promise<void> {
	for (let tries = 0; tries < TRIES_MAX; tries++) {
		const { data, isError } = await fetchNextPage();
		if (isError || (data?.pages.length ?? 0) > shown) return;
	}
}
