"use client";
import { lazy, type ReactNode, Suspense } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import type { QuoteView } from "#components/trpc/outputs.ts";
import { cn } from "#components/ui/cn.ts";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { electricityAheadWords } from "#server/domain/home-electricity.ts";
import { QuoteHeadline } from "./quote-headline.tsx";
import { QuotePolicy } from "./quote-policy.tsx";
import { QuoteRuns, QuoteTable } from "./quote-table.tsx";
import type { Way } from "./quote-ways.ts";

/** Loaded with the first quote that has suggestions, to keep the page light. */
const QuoteSuggestions = lazy(() => import("./quote-suggestions.tsx").then((loaded) => ({ default: loaded.QuoteSuggestions })));

type QuotePanelProps = {
	quote: QuoteView | null;
	ways: { home: Way | null; burst: Way | null };
	headline: string;
	deadlineMs: number | null;
	/** The quote is for an earlier text, with the reason. */
	stale: boolean;
	staleWhy: string | null;
	error: unknown;
	onRetry: () => void;
	/** Applies a suggestion to the job; null if the job is not edited here. */
	onUse: ((suggestion: QuoteView["suggestions"][number]) => void) | null;
	/** The submit button. */
	submit: ReactNode;
};

/** The decision the scheduler would make for this job now. */
export function QuotePanel(props: QuotePanelProps) {
	const { quote, ways, deadlineMs } = props;
	if (props.error) {
		const described = describeError(props.error);
		return (
			<Panel title="Quote">
				<ErrorState
					title="No quote"
					detail={described.detail}
					requestId={described.kind === "failed" ? described.requestId : null}
					onRetry={props.onRetry}
				/>
				<div className="border-t p-4">{props.submit}</div>
			</Panel>
		);
	}
	if (!quote) {
		return (
			<Panel title="Quote">
				{props.staleWhy ? <p className="px-4 pb-4 text-ink-2">{props.staleWhy}</p> : <TextSkeleton lines={7} label="Loading quote" />}
				<div className="border-t p-4">{props.submit}</div>
			</Panel>
		);
	}
	return (
		<Panel
			title="Quote"
			sub={
				<span className="text-xs">
					as of <Time atMs={quote.decidedAtMs} />
				</span>
			}
			actions={
				<span role="status" className="text-xs">
					{props.stale ? (props.staleWhy ? "for an earlier version" : "updating…") : ""}
				</span>
			}
		>
			<div className={cn("transition-opacity", props.stale && !props.staleWhy && "opacity-60")}>
				<QuoteHeadline
					quote={quote}
					headline={props.headline}
					note={props.stale && props.staleWhy ? <p className="text-xs text-risk-ink">{props.staleWhy}</p> : null}
				/>
				<QuoteTable ways={ways} deadlineMs={deadlineMs} />
				{quote.electricity.length > 0 && (
					<p className="border-t px-4 py-2 text-xs text-pretty text-ink-3">
						Includes owned electricity: {quote.electricity.map(electricityAheadWords).join("; ")}.
					</p>
				)}
			</div>
			<div className="border-t px-4 py-3">{props.submit}</div>
			<div className={cn("transition-opacity", props.stale && !props.staleWhy && "opacity-60")}>
				<Section title="Forecast run">
					<QuoteRuns ways={ways} deadlineMs={deadlineMs} />
					<ForecastScore score={quote.forecastScore} />
				</Section>
				{quote.suggestions.length > 0 && (
					<Section title="Cheaper or faster options">
						<Suspense fallback={<TextSkeleton lines={2} label="Loading options" />}>
							<QuoteSuggestions suggestions={quote.suggestions} onUse={props.onUse} />
						</Suspense>
					</Section>
				)}
				<Section title={`Policy ${quote.policy.name}, version ${quote.policy.version}`}>
					<QuotePolicy quote={quote} burst={ways.burst} />
				</Section>
			</div>
		</Panel>
	);
}

/** Past accuracy of the owned start forecast. */
function ForecastScore({ score }: { score: QuoteView["forecastScore"] }) {
	if (!score) return null;
	const times = score.count === 1 ? "1 time" : `${score.count.toLocaleString("en-US")} times`;
	return (
		<p className="mt-2 text-xs text-ink-3">
			Past owned start forecasts were accurate in {score.p90Covered.toLocaleString("en-US")} of {times}.
		</p>
	);
}

function Section({ title, children }: { title: string; children: ReactNode }) {
	return (
		<section className="border-t px-4 pt-3 pb-3.5">
			<h3 className="mb-2 text-xs font-strong text-ink-3">{title}</h3>
			{children}
		</section>
	);
}
