import type { QueryKey } from "@tanstack/react-query";
import type { Inputs, Outputs } from "#components/trpc/outputs.ts";

/** Nodes shown per site at first, not-ready ones first. */
export const NODES_SHOWN = 20;

type Page = Outputs["site"]["nodes"];

/** A site's nodes page by page, shared by server and browser. */
export function nodePages(pathKey: QueryKey, id: string, fetchPage: (input: Inputs["site"]["nodes"]) => Promise<Page>) {
	const input = { id, limit: NODES_SHOWN };
	return {
		queryKey: [...pathKey, { type: "pages" }, input] as const,
		queryFn: ({ pageParam }: { pageParam: string | null }) => fetchPage({ ...input, ...(pageParam !== null && { cursor: pageParam }) }),
		initialPageParam: null as string | null,
		getNextPageParam: (last: Page) => last.nextCursor,
	};
}
