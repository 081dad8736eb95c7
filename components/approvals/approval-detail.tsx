"use client";
import type { ReactNode } from "react";
import { formatMoney } from "#components/money/format-money.ts";
import { Place } from "#components/place/place.tsx";
import { useTime } from "#components/time/clock.tsx";
import { formatExact, formatSpan } from "#components/time/format-time.ts";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Chip } from "#components/ui/chip.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { LABELS } from "#server/domain/vocabulary.ts";
import { AnswerForm } from "./answer-form.tsx";
import { type ApprovalItem, type ApprovalsView, approvalsHref } from "./params.ts";
import { APPROVAL_STATES, answerWords } from "./words.ts";

/** An approval request with everything needed to decide, sized for a phone. */
export function ApprovalDetail({ id, view }: { id: string; view: ApprovalsView }) {
	const trpc = useTRPC();
	const { data: item } = useSuspenseQuery(trpc.approval.get.queryOptions({ id }));
	const { label, tone } = APPROVAL_STATES[item.state];
	return (
		<Panel
			id="approval"
			title={
				<Link href={`/jobs/${item.job.id}`} className="hover:underline">
					{item.job.name}
				</Link>
			}
			sub={`${item.job.team}, ${item.job.submittedBy}`}
			actions={<Chip tone={tone}>{label}</Chip>}
		>
			<div className="grid gap-4 px-4 pb-4">
				<Link href={approvalsHref({ view })} className="text-accent hover:underline rail:hidden">
					Back to approvals
				</Link>
				<p className="text-pretty">
					Rule <b className="font-semibold">{item.ruleId}</b> requires approval by {LABELS[item.role].toLowerCase()}
					{item.condition !== null && (
						<>
							{" "}
							because <code className="font-mono text-xs break-words">{item.condition}</code>
						</>
					)}
					. Requested <Time atMs={Date.parse(item.requestedAt)} /> under policy {item.policyName} version {item.policyVersion}.
				</p>
				<Quote item={item} />
				{item.state === "open" ? (
					item.mayAnswer ? (
						<AnswerForm key={item.id} item={item} />
					) : (
						<WhyNot item={item} />
					)
				) : (
					<Answer item={item} />
				)}
			</div>
		</Panel>
	);
}

function Quote({ item }: { item: ApprovalItem }) {
	const { quote, job, budget } = item;
	const { placement } = quote;
	const rows: { id: string; term: ReactNode; value: ReactNode }[] = [
		{
			id: "cost",
			term: "Expected cost",
			value: <b className="font-semibold">{formatMoney(quote.costMicroUsd, "estimate")}</b>,
		},
		{ id: "hourly", term: "Hourly price", value: formatMoney(quote.hourlyMicroUsd, "price") },
		{
			id: "place",
			term: "Candidate",
			value: (
				<Place capacity={placement.capacityType} provider={placement.provider} region={placement.region}>
					{placement.instanceType}
				</Place>
			),
		},
		{ id: "gpus", term: "GPUs", value: `${job.gpus.toLocaleString("en-US")}${placement.accelerator ? ` × ${placement.accelerator}` : ""}` },
		{ id: "start", term: "Cloud start", value: <Sooner quote={quote} requestedMs={Date.parse(item.requestedAt)} /> },
		{
			id: "home",
			term: "Owned start",
			value: quote.homeStartP50Ms === null ? "never" : <Time atMs={quote.homeStartP50Ms} form="short" />,
		},
		{
			id: "co2",
			term: "CO2e",
			value: quote.emissionsGrams === null ? "unknown" : gramsText(quote.emissionsGrams),
		},
		...(job.deadlineAt === null
			? []
			: [{ id: "deadline", term: "Deadline", value: <Time atMs={Date.parse(job.deadlineAt)} form="short" /> }]),
		...(budget === null
			? item.state === "open"
				? [{ id: "budget", term: "Budget", value: "no cap applies" }]
				: []
			: [
					{
						id: "budget",
						term: `Free in ${budget.budgetId}`,
						value: `${formatMoney(budget.freeMicroUsd, "posted")} of ${formatMoney(budget.capMicroUsd, "whole")}`,
					},
				]),
	];
	return <DefinitionList items={rows} className="[&_dd]:text-right" />;
}

/** Use grams below a kilogram so that a small job does not round to zero. */
function gramsText(grams: number): string {
	if (grams < 1_000) return `${grams.toLocaleString("en-US", { maximumSignificantDigits: 2 })} g`;
	return `${(grams / 1_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} kg`;
}

function Sooner({ quote, requestedMs }: { quote: ApprovalItem["quote"]; requestedMs: number }) {
	return <>in {formatSpan(Math.max(1_000, quote.startP50Ms - requestedMs))}</>;
}

function WhyNot({ item }: { item: ApprovalItem }) {
	const left = useTime((now) => formatSpan(Math.max(0, Math.ceil((Date.parse(item.expiresAt) - now) / 60_000) * 60_000)));
	return (
		<p className="rounded-lg bg-sunken px-3 py-2.5 text-pretty text-ink-2">
			{item.mine ? "You submitted this job, so someone else must decide." : `Only a ${LABELS[item.role].toLowerCase()} can decide.`}{" "}
			<span suppressHydrationWarning>Without a decision, the job stays queued for owned GPUs after another {left}.</span>
		</p>
	);
}

function Answer({ item }: { item: ApprovalItem }) {
	const at = item.decidedAt === null ? null : Date.parse(item.decidedAt);
	return (
		<div className="grid gap-1 rounded-lg bg-sunken px-3 py-2.5">
			<p>
				<b className="font-semibold">{answerWords(item)}</b>
				{item.decidedBy !== null && ` by ${item.decidedBy}`}
				{at !== null && <span className="text-ink-3">, {formatExact(at)}</span>}
			</p>
			{item.note !== null && <p className="text-pretty text-ink-2">{item.note}</p>}
			<p className="text-pretty text-ink-2">Current status: {item.job.reason.message}</p>
		</div>
	);
}
