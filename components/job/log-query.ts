import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Inputs, LogPage } from "#components/trpc/outputs.ts";
import { type LogState, withPage } from "./log-lines.ts";

/** Lines that come with the page, and lines that are asked for at a time after that. */
const FIRST_LINES = 400;
export const PAGE_LINES = 2_000;
/** Pages read in one go: a command that writes faster than this is shown with the next change. */
const PAGES_AT_ONCE = 5;

export type ReadLog = (input: Inputs["job"]["logs"]) => Promise<LogPage>;

/**
 * A log that grows: each time it is read again, only what is new is asked for and put behind what is there. The key is below
 * that of `job.logs`, so that the change feed finds it.
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
		// Thousands of lines are not compared one by one; they are never changed.
		structuralSharing: false,
	};
}
