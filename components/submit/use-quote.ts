"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Draft } from "./read-draft.ts";
import { useSettled } from "./use-settled.ts";

const TYPING_MS = 300;
/** The queue and the prices move on while a person thinks. */
const AGAIN_MS = 15_000;

/** What the job would meet if it were submitted now. The last answer stays while a new one is on its way, or while the text is no job. */
export function useQuote(draft: Draft) {
	const trpc = useTRPC();
	const settled = useSettled(draft, TYPING_MS);
	const asked = settled.spec !== null;
	const query = useQuery(
		trpc.quote.queryOptions({ text: settled.text }, { enabled: asked, placeholderData: keepPreviousData, refetchInterval: AGAIN_MS }),
	);
	return {
		quote: query.data ?? null,
		error: asked ? query.error : null,
		retry: () => void query.refetch(),
		/** The answer is to something else than what the text says now. */
		stale: draft.text !== settled.text || !asked || query.isPlaceholderData,
		loading: query.isFetching && (query.isPlaceholderData || !query.data),
		/** The deadline that the quote was asked with. */
		deadlineMs: (draft.spec ?? settled.spec)?.deadlineMs ?? null,
	};
}
