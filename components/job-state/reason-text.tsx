"use client";
import { useCallback } from "react";
import { formatMoney } from "#components/money/format-money.ts";
import { useTime } from "#components/time/clock.tsx";
import { formatShort, formatSpan } from "#components/time/format-time.ts";
import type { CandidateView, ReasonView } from "#components/trpc/outputs.ts";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import type { SentenceFormatters } from "#server/domain/sentence-facts.ts";
import { sentenceOf } from "#server/domain/sentences.ts";

/** Formats sentences for screens: short relative times, ledger money. */
export function screenFormatters(nowMs: number): SentenceFormatters {
	return {
		money: (microUsd) => formatMoney(microUsd, "posted"),
		duration: (ms) => formatSpan(ms, true),
		instant: (ms) => formatShort(ms, nowMs),
	};
}

/** A reason sentence, the same as in the API but with readable times. */
export function useReasonText(reason: ReasonView): string {
	return useTime(useCallback((now: number) => sentenceOf(reason, screenFormatters(now)), [reason]));
}

export function ReasonText({ reason }: { reason: ReasonView }) {
	return <span suppressHydrationWarning>{useReasonText(reason)}</span>;
}

/** The headline sentence of a panel. */
export function LeadReason({ reason }: { reason: ReasonView }) {
	return (
		<p className="max-w-[92ch] px-4 pb-2 text-md text-pretty text-ink-2">
			<ReasonText reason={reason} />
		</p>
	);
}

/** Why a candidate is excluded. */
export function RemovalText({ removal }: { removal: NonNullable<CandidateView["removedBy"]> }) {
	return (
		<span suppressHydrationWarning>
			{useTime(useCallback((now: number) => removalSentenceOf(removal, screenFormatters(now)), [removal]))}
		</span>
	);
}
