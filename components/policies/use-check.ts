"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSettled } from "#components/ui/use-settled.ts";
import { type Outline, outlineOf } from "#server/domain/policy-entries.ts";
import { ACTIVE_POLICY, type PolicyCheck, type Sentence } from "./params.ts";

const TYPING_MS = 250;

type Known = { byText: Map<string, Sentence>; byId: Map<string, Sentence>; of: PolicyCheck | null };
const NOTHING: Known = { byText: new Map(), byId: new Map(), of: null };

/** Validation by the server's parser, and the sentences of the last valid parse. */
export function usePolicyCheck(text: string) {
	const trpc = useTRPC();
	const settled = useSettled(text, TYPING_MS);
	const query = useQuery(trpc.policy.check.queryOptions({ ...ACTIVE_POLICY, source: settled }, { placeholderData: keepPreviousData }));
	const outline = useMemo(() => outlineOf(text), [text]);
	const check = query.data ?? null;
	const isOf = !query.isPlaceholderData && check !== null;
	const [known, setKnown] = useState(NOTHING);
	// A text with errors has no sentences, so unchanged rules keep theirs.
	if (isOf && check.sentences && known.of !== check) setKnown(sentencesOf(check, outlineOf(settled)));
	const [lastOutline, setLastOutline] = useState(outline);
	if (outline && outline !== lastOutline) setLastOutline(outline);
	return {
		check,
		error: query.error,
		/** The result matches the current text. */
		current: isOf && settled === text,
		outline: outline ?? lastOutline,
		readable: outline !== null,
		sentenceOf: (key: string, entryText: string) => known.byText.get(entryText) ?? known.byId.get(key) ?? null,
	};
}

function sentencesOf(check: PolicyCheck, outline: Outline | null): Known {
	const known: Known = { byText: new Map(), byId: new Map(), of: check };
	for (const { id, line, sentence } of check.sentences ?? []) {
		const inside = ({ lines }: { lines: { from: number; to: number } }) => line !== null && lines.from <= line && line <= lines.to;
		const rule = outline?.rules.find(inside);
		const entry = rule ?? outline?.budgets.find(inside);
		if (entry) known.byText.set(entry.text, sentence);
		known.byId.set(rule || !entry ? `rules:${id}` : `budgets:${id}`, sentence);
	}
	return known;
}
