"use client";
import { lazy, type ReactNode, Suspense } from "react";
import { screenFormatters } from "#components/job-state/reason-text.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { useTime } from "#components/time/clock.tsx";
import { formatSpan } from "#components/time/format-time.ts";
import type { QuoteView } from "#components/trpc/outputs.ts";
import { cn } from "#components/ui/cn.ts";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import type { Way } from "./quote-ways.ts";

/** Loaded only if a rule requires approval. */
const QuoteOutlook = lazy(() => import("#components/approvals/quote-outlook.tsx").then((loaded) => ({ default: loaded.QuoteOutlook })));

type Mark = "yes" | "ask" | "no" | "fact";
const MARK: Record<Mark, { icon: IconName; className: string; label: string }> = {
	yes: { icon: "check", className: "text-ok-ink", label: "Allowed: " },
	ask: { icon: "question", className: "text-warn-ink", label: "Needs approval: " },
	no: { icon: "x", className: "text-risk-ink", label: "Not allowed: " },
	fact: { icon: "info", className: "text-ink-3", label: "" },
};

/** The policy's verdict by rule, and the budget that applies. */
export function QuotePolicy({ quote, burst }: { quote: QuoteView; burst: Way | null }) {
	return (
		<ul className="grid gap-2.25">
			<Verdict quote={quote} />
			<Budget quote={quote} burst={burst} />
			<Rules quote={quote} />
			<Line mark="fact">
				<b>Queue:</b>{" "}
				{quote.queue.jobs === 0
					? "empty"
					: `${quote.queue.jobs.toLocaleString("en-US")} ${quote.queue.jobs === 1 ? "job" : "jobs"}, ${quote.queue.gpus.toLocaleString("en-US")} GPUs`}
			</Line>
			<Line mark="fact">
				<b>Run time:</b> {formatSpan(quote.runTime.p50Ms)} median, {formatSpan(quote.runTime.p90Ms)} in 9 of 10 runs; from past runs of this
				name, otherwise your estimate
			</Line>
		</ul>
	);
}

function Line({ mark, children }: { mark: Mark; children: ReactNode }) {
	const { icon, className, label } = MARK[mark];
	return (
		<li className="grid grid-cols-[1rem_1fr] gap-2 text-pretty text-ink-2 [&_b]:font-strong [&_b]:text-ink">
			<Icon name={icon} className={cn("mt-0.5 size-3.5", className)} {...(label ? { label } : {})} />
			<span>{children}</span>
		</li>
	);
}

function Verdict({ quote }: { quote: QuoteView }) {
	if (quote.verdict === "deny") {
		return (
			<Line mark="no">
				<b>Cloud:</b> no eligible candidate
			</Line>
		);
	}
	if (quote.verdict === "needs_approval") {
		return (
			<Line mark="ask">
				<b>Approval:</b> rule {String(quote.reason.facts["ruleId"] ?? "of the policy")} requires approval.
				<Suspense>
					<QuoteOutlook role={String(quote.reason.facts["role"] ?? "platform")} />
				</Suspense>
			</Line>
		);
	}
	const notDue = quote.removed.some((r) => r.why === "burst_not_due") && quote.outcome !== "launch";
	return (
		<Line mark="yes">
			<b>Cloud:</b> {notDue ? "allowed once a burst rule triggers" : "allowed without approval"}
		</Line>
	);
}

function Budget({ quote, burst }: { quote: QuoteView; burst: Way | null }) {
	const { budgetFree } = quote;
	if (!budgetFree) return null;
	const enough = burst === null || BigInt(burst.candidate.worstCaseMicroUsd) <= BigInt(budgetFree.freeMicroUsd);
	return (
		<Line mark={enough ? "yes" : "no"}>
			<b>Budget:</b> {budgetFree.budgetId} has {formatMoney(budgetFree.freeMicroUsd, "posted")} of{" "}
			{formatMoney(budgetFree.capMicroUsd, "whole")} available
			{!enough && `; worst case of this job: ${formatMoney(burst.candidate.worstCaseMicroUsd, "posted")}`}
		</Line>
	);
}

const RULES_SHOWN = 4;

function Rules({ quote }: { quote: QuoteView }) {
	const byRule = quote.removed.filter((r) => r.ruleId !== null);
	return (
		<>
			{byRule.slice(0, RULES_SHOWN).map((r) => (
				<RuleLine key={`${r.ruleId}/${r.why}`} group={r} />
			))}
		</>
	);
}

function RuleLine({ group }: { group: QuoteView["removed"][number] }) {
	const removal = group.cheapest.removedBy;
	const text = useTime((now) => (removal ? removalSentenceOf(removal, screenFormatters(now)) : ""));
	return (
		<Line mark="no">
			<span suppressHydrationWarning>{text}</span>{" "}
			<span className="text-ink-3">
				{group.count.toLocaleString("en-US")} {group.count === 1 ? "candidate" : "candidates"} excluded.
			</span>
		</Line>
	);
}
