import type { DehydratedState } from "@tanstack/react-query";
import { TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "#server/api/trpc/router.ts";

/**
 * During server rendering only prefetched data is available: there is no own URL and no session for requests. Anything
 * not prefetched, or failed, is left to the browser, which fetches it and shows errors with their reason.
 */
class LeftToBrowser extends TRPCClientError<AppRouter> {
	override name = "LeftToBrowser";
	/** Signals Next that the browser renders this part and that there is nothing to log. */
	readonly digest = "BAILOUT_TO_CLIENT_SIDE_RENDERING";
}

/** Replaces the API links during server rendering. */
export const leftToBrowser: TRPCLink<AppRouter> =
	() =>
	({ op }) =>
		observable((observer) => observer.error(new LeftToBrowser(`${op.path} is fetched by the browser`)));

/**
 * Dehydrated prefetch results. A failed one is fetched again by the browser, which shows the reason; its procedure has
 * already logged it, and Next would log a second line without the reason.
 */
export function failuresLeftToBrowser(state: DehydratedState): DehydratedState {
	return { ...state, queries: state.queries.map(({ promise, ...query }) => ({ ...query, ...(promise && { promise: left(promise) }) })) };
}

function left(read: Promise<unknown>): Promise<unknown> {
	const promise = read.catch(() => Promise.reject(new LeftToBrowser("a failed prefetch is fetched by the browser")));
	// It may fail before anything awaits it.
	promise.catch(() => undefined);
	return promise;
}
