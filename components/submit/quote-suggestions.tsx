"use client";
import { screenFormatters } from "#components/job-state/reason-text.tsx";
import { useTime } from "#components/time/clock.tsx";
import type { QuoteView } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { changeWords, suggestionSentence } from "#server/domain/suggestion.ts";

type Suggestion = QuoteView["suggestions"][number];

/** Suggestions: the same quote with one change. */
export function QuoteSuggestions({ suggestions, onUse }: { suggestions: readonly Suggestion[]; onUse: ((s: Suggestion) => void) | null }) {
	return (
		<ul className="grid gap-2.25">
			{suggestions.map((s) => (
				<li key={JSON.stringify(s.change)} className="flex items-start justify-between gap-3 text-ink-2">
					<SuggestionText suggestion={s} />
					{onUse && (
						<Button size="sm" aria-label={`Apply: ${changeWords(s.change)}`} onClick={() => onUse(s)}>
							Apply
						</Button>
					)}
				</li>
			))}
		</ul>
	);
}

export function SuggestionText({ suggestion }: { suggestion: Suggestion }) {
	const text = useTime((now) => suggestionSentence(suggestion, screenFormatters(now)));
	return (
		<span className="text-pretty" suppressHydrationWarning>
			{text}
		</span>
	);
}
