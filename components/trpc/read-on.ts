interface Pages {
	data?: { pages: readonly unknown[] } | undefined;
	isError: boolean;
	error: unknown;
}

/** Retries of the next page before the user must retry. */
const TRIES_MAX = 5;

/**
 * Loads the next page. A change in the meantime refetches the list and drops the pending page, which is then requested
 * again so that the click is not lost. Returns null when the page has arrived, otherwise the error, which may be the
 * refetch's.
 */
export async function readOn(shown: number, fetchNextPage: () => Promise<Pages>): Promise<unknown> {
	for (let tries = 0; tries < TRIES_MAX; tries++) {
		const { data, isError, error } = await fetchNextPage();
		if ((data?.pages.length ?? 0) > shown) return null;
		if (isError) return error;
	}
	return new Error("The list changed each time it was read.");
}
