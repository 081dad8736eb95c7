"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSettled } from "../ui/use-settled.ts";
import type { Draft } from "./read-draft.ts";

const TYPING_MS = 300;
/** Refresh interval: queue and prices change while a person edits. */
const AGAIN_MS = 15_000;

/** Quotes the draft as if submitted now. Keeps the last quote while a new one loads or the draft is invalid. */
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
		/** The quote is for an earlier text. */
		stale: draft.text !== settled.text || !asked || query.isPlaceholderData,
		loading: query.isFetching && (query.isPlaceholderData || !query.data),
		/** The deadline used for the quote. */
		deadlineMs: (draft.spec ?? settled.spec)?.deadlineMs ?? null,
	};
}
