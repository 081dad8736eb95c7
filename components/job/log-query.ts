import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Inputs, LogPage } from "#components/trpc/outputs.ts";
import { type LogState, withPage } from "./log-lines.ts";

/** Lines prefetched with the page, and lines per later request. */
const FIRST_LINES = 400;
export const PAGE_LINES = 2_000;
/** Pages per read. Faster output appears with the next change. */
const PAGES_AT_ONCE = 5;

export type ReadLog = (input: Inputs["job"]["logs"]) => Promise<LogPage>;

/**
 * A growing log: each read requests only new lines and appends them. The key is below that of `job.logs` so that the
 * change feed invalidates it.
 */
export function logOptions(pathKey: QueryKey, id: string, attempt: number, read: ReadLog) {
	const queryKey = [...pathKey, { type: "growing" }, { id, attempt }] as const;
	return {
		queryKey,
		queryFn: async ({ client }: { client: QueryClient }): Promise<LogState> => {
			let state = client.getQueryData<LogState>(queryKey);
			for (let pages = 0; pages < PAGES_AT_ONCE; pages++) {
				const after = state?.lines.at(-1)?.number ?? 0;
				const page = await read({ id, page: after === 0 ? { attempt, tail: FIRST_LINES } : { attempt, after, limit: PAGE_LINES } });
				state = withPage(state, page);
				if ((state.lines.at(-1)?.number ?? 0) >= state.total || page.lines.length === 0) break;
			}
			return state ?? { lines: [], total: 0, complete: false };
		},
		// Structural sharing is off: thousands of immutable lines need no comparison.
		structuralSharing: false,
	};
}
