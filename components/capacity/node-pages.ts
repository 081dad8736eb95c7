import type { QueryKey } from "@tanstack/react-query";
import type { Inputs, Outputs } from "#components/trpc/outputs.ts";

/** Nodes that a site shows at once, those that are not ready first. */
export const NODES_SHOWN = 20;

type Page = Outputs["site"]["nodes"];

/** The nodes of a site by pages, the same on the server and in the browser. */
export function nodePages(pathKey: QueryKey, id: string, fetchPage: (input: Inputs["site"]["nodes"]) => Promise<Page>) {
	const input = { id, limit: NODES_SHOWN };
	return {
		queryKey: [...pathKey, { type: "pages" }, input] as const,
		queryFn: ({ pageParam }: { pageParam: string | null }) => fetchPage({ ...input, ...(pageParam !== null && { cursor: pageParam }) }),
		initialPageParam: null as string | null,
		getNextPageParam: (last: Page) => last.nextCursor,
	};
}
