import type { QueryKey } from "@tanstack/react-query";
import type { Inputs, Outputs } from "#components/trpc/outputs.ts";
import { type ChargesView, chargesQuery, type SpendView, spendQuery } from "./view.ts";

type Page = { nextCursor: string | null };

/** A paged list, shared by server and browser. */
function pagesOptions<P extends Page>(pathKey: QueryKey, input: object, fetchPage: (cursor: { cursor?: string }) => Promise<P>) {
	return {
		queryKey: [...pathKey, { type: "pages" }, input] as const,
		queryFn: ({ pageParam }: { pageParam: string | null }) => fetchPage(pageParam === null ? {} : { cursor: pageParam }),
		initialPageParam: null as string | null,
		getNextPageParam: (last: P) => last.nextCursor,
	};
}

export function chargePages(
	pathKey: QueryKey,
	view: ChargesView,
	nowMs: number,
	fetchPage: (input: Inputs["spend"]["charges"]) => Promise<Outputs["spend"]["charges"]>,
) {
	const input = chargesQuery(view, nowMs);
	return pagesOptions(pathKey, input, (cursor) => fetchPage({ ...input, ...cursor }));
}

export function jobPages(
	pathKey: QueryKey,
	view: SpendView,
	nowMs: number,
	fetchPage: (input: Inputs["spend"]["jobs"]) => Promise<Outputs["spend"]["jobs"]>,
) {
	const { fromMs, toMs, filters } = spendQuery(view, nowMs);
	const input = { fromMs, toMs, filters, limit: 50 };
	return pagesOptions(pathKey, input, (cursor) => fetchPage({ ...input, ...cursor }));
}
