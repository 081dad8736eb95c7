"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Money } from "#components/money/money.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { SaveTemplateButton } from "#components/templates/save-template.tsx";
import { formatShort } from "#components/time/format-time.ts";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { formatChance } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { GanttPanel } from "./gantt-panel.tsx";
import { GraphPanel } from "./graph-panel.tsx";
import { OriginFacts } from "./origin-facts.tsx";
import { ReceiptPanel } from "./receipt-panel.tsx";
import { pipelineTone } from "./step-state.ts";
import { TrialsPanel } from "./trials-panel.tsx";

type Detail = Outputs["pipeline"]["get"];

/** One pipeline or sweep, live. */
export function PipelineScreen({ id, kind }: { id: string; kind: "Pipeline" | "Sweep" }) {
	const trpc = useTRPC();
	const { data, error, refetch } = useQuery(trpc.pipeline.get.queryOptions({ id }));
	const crumbs = [kind === "Pipeline" ? { label: "Pipelines", href: "/pipelines" } : { label: "Sweeps", href: "/sweeps" }];
	return (
		<>
			<PageHeader
				crumbs={crumbs}
				title={data?.name ?? id}
				meta={data && <Chip tone={pipelineTone(data.state)}>{data.state}</Chip>}
				actions={data && <Actions detail={data} />}
			/>
			<PageBody>
				{error ? (
					<Panel>
						<ErrorState title="Could not load it" detail={describeError(error).detail} onRetry={() => void refetch()} />
					</Panel>
				) : data ? (
					<Sections detail={data} />
				) : (
					<Panel>
						<TextSkeleton lines={8} label="Loading" className="py-5" />
					</Panel>
				)}
			</PageBody>
		</>
	);
}

function Sections({ detail }: { detail: Detail }) {
	const critical = new Set(detail.quote?.stepList.flatMap(({ name, isCritical }) => (isCritical ? [name] : [])));
	return (
		<>
			<Facts detail={detail} />
			<OriginFacts origin={detail} />
			{detail.kind === "Sweep" ? <TrialsPanel id={detail.id} /> : <GraphPanel steps={detail.stepList} critical={critical} />}
			<GanttPanel detail={detail} />
			<ReceiptPanel detail={detail} />
		</>
	);
}

function Facts({ detail }: { detail: Detail }) {
	const { quote, deadlineAt, finishedAt, counts, runs } = detail;
	const submittedAtMs = Date.parse(detail.submittedAt);
	const facts: [string, React.ReactNode][] = [
		["Done", `${counts.succeeded} of ${runs}`],
		["Cost", <Money key="cost" value={detail.costMicroUsd} />],
		...(quote
			? ([
					["Quoted", <Money key="quoted" value={quote.expectedMicroUsd} kind="estimate" />],
					["Quoted at most", <Money key="most" value={quote.maximumMicroUsd} kind="whole" />],
					[
						"Forecast finish",
						`${formatShort(Date.parse(quote.finish.p50), submittedAtMs)} to ${formatShort(Date.parse(quote.finish.p90), submittedAtMs)}`,
					],
				] satisfies [string, React.ReactNode][])
			: []),
		...(detail.reservedMicroUsd === "0"
			? []
			: ([["Held for later steps", <Money key="held" value={detail.reservedMicroUsd} />]] satisfies [string, React.ReactNode][])),
		...(deadlineAt
			? ([["Deadline", <Time key="deadline" atMs={Date.parse(deadlineAt)} form="short" />]] satisfies [string, React.ReactNode][])
			: []),
		...(quote?.deadlineRisk == null
			? []
			: ([["Risk at submission", formatChance(quote.deadlineRisk)]] satisfies [string, React.ReactNode][])),
		["Submitted", <Time key="submitted" atMs={submittedAtMs} />],
		...(finishedAt ? ([["Finished", <Time key="finished" atMs={Date.parse(finishedAt)} />]] satisfies [string, React.ReactNode][]) : []),
	];
	return (
		<dl className="flex flex-wrap gap-x-8 gap-y-3">
			{facts.map(([term, value]) => (
				<div key={term}>
					<dt className="text-xs text-ink-3">{term}</dt>
					<dd className="tabular text-lg font-semibold tracking-tight" suppressHydrationWarning>
						{value}
					</dd>
				</div>
			))}
		</dl>
	);
}

function Actions({ detail }: { detail: Detail }) {
	const { id, state } = detail;
	const trpc = useTRPC();
	const cancel = useMutation(trpc.pipeline.cancel.mutationOptions());
	const retry = useMutation(trpc.pipeline.retry.mutationOptions());
	const failure = cancel.error ?? retry.error;
	return (
		<>
			{failure && (
				<span role="alert" className="text-risk-ink">
					{describeError(failure).detail}
				</span>
			)}
			<SaveTemplateButton pipeline={detail} />
			{state === "running" && (
				<Button onClick={() => cancel.mutate({ id })} disabled={cancel.isPending}>
					Cancel
				</Button>
			)}
			{(state === "failed" || state === "cancelled") && (
				<Button onClick={() => retry.mutate({ id })} disabled={retry.isPending}>
					Resume
				</Button>
			)}
		</>
	);
}
