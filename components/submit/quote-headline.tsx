"use client";
import type { ReactNode } from "react";
import { useReasonText } from "#components/job-state/reason-text.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { useTime } from "#components/time/clock.tsx";
import { formatShort } from "#components/time/format-time.ts";
import type { QuoteView } from "#components/trpc/outputs.ts";
import { headlineOf, type Way } from "./quote-ways.ts";

/** The quote in one line: what happens on submission. */
export function useHeadline(quote: QuoteView | null, ways: { home: Way | null; burst: Way | null }): string {
	return useTime((now) => {
		if (!quote) return "";
		switch (headlineOf(quote)) {
			case "start_now":
				return "Starts on owned GPUs now";
			case "wait":
				return quote.homeStart ? `Queued for owned GPUs until about ${formatShort(quote.homeStart.p50Ms, now)}` : "Queued";
			case "burst":
				return `Bursts now, ${formatMoney(ways.burst?.candidate.cashMicroUsd ?? "0", "estimate").replace("≈ ", "about ")}`;
			case "hold":
				return quote.reason.code === "approval_required" ? "Needs approval" : "Held: over budget";
			case "fail":
				return "No candidate can run this job";
		}
	});
}

/** Rewrites a decision sentence as a forecast. */
const BEGINNINGS: readonly [past: string, would: string][] = [
	["Sent to", "Would burst to"],
	["Placed", "Would be placed"],
	["Waiting", "Would be queued"],
	["Held", "Would be held"],
];

function wouldBe(sentence: string): string {
	const found = BEGINNINGS.find(([past]) => sentence.startsWith(past));
	return found ? found[1] + sentence.slice(found[0].length) : sentence;
}

export function QuoteHeadline({ quote, headline, note }: { quote: QuoteView; headline: string; note: ReactNode }) {
	const why = wouldBe(useReasonText(quote.reason));
	return (
		<div className="grid gap-1.5 px-4 pb-3.5">
			<p role="status" className="text-xl font-bold tracking-tight text-pretty" suppressHydrationWarning>
				{headline}
			</p>
			<p className="leading-normal text-pretty text-ink-2" suppressHydrationWarning>
				{why}
			</p>
			{note}
		</div>
	);
}
