import type { DehydratedState } from "@tanstack/react-query";
import { TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "#server/api/trpc/router.ts";

/**
 * The server draws what was read for the page beforehand, and reads nothing while it draws: it has no address of its own there and
 * nobody's session. What was not read, or failed, is left to the browser, which reads it and tells a failure with its reason.
 */
class LeftToBrowser extends TRPCClientError<AppRouter> {
	override name = "LeftToBrowser";
	/** By this Next knows that the part is drawn by the browser, and that nothing went wrong which belongs into the log. */
	readonly digest = "BAILOUT_TO_CLIENT_SIDE_RENDERING";
}

/** In place of the links to the API, where a page is drawn by the server. */
export const leftToBrowser: TRPCLink<AppRouter> =
	() =>
	({ op }) =>
		observable((observer) => observer.error(new LeftToBrowser(`${op.path} is read by the browser`)));

/**
 * What was read beforehand, as it goes to the browser. A read that fails on the way there is read again by the browser, which tells
 * the reason; here its procedure has told the log already, and Next would write a second line of it, without the reason.
 */
export function failuresLeftToBrowser(state: DehydratedState): DehydratedState {
	return { ...state, queries: state.queries.map(({ promise, ...query }) => ({ ...query, ...(promise && { promise: left(promise) }) })) };
}

function left(read: Promise<unknown>): Promise<unknown> {
	const promise = read.catch(() => Promise.reject(new LeftToBrowser("what failed beforehand is read by the browser")));
	// It may fail before the page is written so far that anybody waits for it.
	promise.catch(() => undefined);
	return promise;
}
