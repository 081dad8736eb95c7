"use client";
import "#components/statements/print.css";
import { useQuery } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { DecisionTests, PilotText } from "#components/plan/answer-panel.tsx";
import { shortUsd, span, usd } from "#components/plan/format-plan.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Panel, PanelHeader } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { underBase } from "#components/ui/under-base.ts";

type Decision = Outputs["plan"]["decision"];

/** The decision of one study, to print and to link to. Its figures do not change. */
export function DecisionScreen({ id }: { id: string }) {
	const trpc = useTRPC();
	const { data, error, refetch } = useQuery(trpc.plan.decision.queryOptions({ id }));
	return (
		<>
			<PageHeader
				title="Decision"
				crumbs={[{ label: "Plan", href: `/plan?study=${encodeURIComponent(id)}` }]}
				actions={
					data && (
						<div className="flex gap-2 print:hidden">
							<Button onClick={() => window.print()}>Print</Button>
							<a className={buttonClass("primary")} href={underBase(`/api/plan/decisions/${encodeURIComponent(id)}`)} download>
								Download PDF
							</a>
						</div>
					)
				}
			/>
			<PageBody>
				{error ? (
					<Panel>
						<ErrorState title="Could not load the decision" detail={describeError(error).detail} onRetry={() => void refetch()} />
					</Panel>
				) : data ? (
					<Document decision={data} />
				) : (
					<Panel>
						<TextSkeleton lines={6} className="py-5" />
					</Panel>
				)}
			</PageBody>
		</>
	);
}

function Document({ decision }: { decision: Decision }) {
	const { study, pilot, outcome } = decision;
	return (
		<>
			<section className="grid gap-2 py-1">
				<h2 className="text-2xl leading-tight font-semibold tracking-tight text-balance">{decision.headline}</h2>
				<p className="max-w-[72ch] text-md leading-relaxed text-pretty text-ink-2">{decision.summary}</p>
				<p className="text-xs break-all text-ink-3">
					{study.name}, studied {study.createdAt.slice(0, 10)}. Figures frozen, sha256 {decision.sha256.slice(0, 16)}.
				</p>
			</section>
			<Panel>
				<div className="px-4 py-2">
					<DecisionTests tests={decision.tests} />
				</div>
			</Panel>
			{pilot && (
				<Panel>
					<div className="px-4 pb-4">
						<PilotText pilot={pilot} />
					</div>
				</Panel>
			)}
			<Panel>
				<Options decision={decision} />
			</Panel>
			{outcome && (
				<Panel>
					<Outcome outcome={outcome} />
				</Panel>
			)}
			<Panel>
				<PanelHeader title="Assumptions" />
				<dl className="grid gap-x-6 gap-y-1 px-4 pb-4 md:grid-cols-[12rem_minmax(0,1fr)]">
					{decision.assumptions.map(({ name, value, source }) => (
						<div key={name} className="contents">
							<dt className="text-ink-3 max-md:pt-2">{name}</dt>
							<dd className="text-pretty">
								{value} <span className="text-ink-3">({source})</span>
							</dd>
						</div>
					))}
				</dl>
			</Panel>
		</>
	);
}

function Options({ decision: { options, recommended } }: { decision: Decision }) {
	return (
		<>
			<PanelHeader title="Options" sub="cost per month" />
			<Table aria-label="Options of the decision">
				<thead>
					<tr>
						<Th>Option</Th>
						<Th n>GPUs</Th>
						<Th n>Time to model</Th>
						<Th n>Cloud</Th>
						<Th n>Total</Th>
						<Th n>NPV</Th>
					</tr>
				</thead>
				<tbody>
					{options.map((option) => (
						<Tr key={option.id} className={cn(option.id === recommended && "font-semibold")}>
							<Td phone="a" className="whitespace-normal!">
								{option.label}
								{option.id === recommended && <span className="ml-2 text-xs text-ok-ink">recommended</span>}
							</Td>
							<Td n>{option.ownedGpus}</Td>
							<Td n phone="c">
								{timeOf(option.meanTimeToModelS)}
							</Td>
							<Td n>{shortUsd(option.cloudUsd)}</Td>
							<Td n phone="b">
								{shortUsd(option.totalUsd)}
							</Td>
							<Td n phone="d">
								{shortUsd(option.npvUsd)}
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</>
	);
}

/** Expected first, then each month. */
function Outcome({ outcome: { expected, months } }: { outcome: NonNullable<Decision["outcome"]> }) {
	const rows = [
		{ key: "expected", name: `Expected: ${expected.label}`, models: null, ...expected },
		...months.map((month) => ({ key: month.month, name: `${month.month}${month.isPart ? " (part)" : ""}`, ...month })),
	];
	return (
		<>
			<PanelHeader title="What happened since" sub="all jobs of this installation, by month" />
			<Table aria-label="What happened since">
				<thead>
					<tr>
						<Th>Month</Th>
						<Th n>Models</Th>
						<Th n>Time to model</Th>
						<Th n>Mean wait</Th>
						<Th n>Cloud</Th>
					</tr>
				</thead>
				<tbody>
					{rows.map(({ key, name, models, meanTimeToModelS, meanWaitS, cloudUsd }) => (
						<Tr key={key} className={cn(key === "expected" && "font-semibold")}>
							<Td phone="a" className="whitespace-normal!">
								{name}
							</Td>
							<Td n>{models}</Td>
							<Td n phone="c">
								{timeOf(meanTimeToModelS)}
							</Td>
							<Td n phone="d">
								{timeOf(meanWaitS)}
							</Td>
							<Td n phone="b">
								{usd(cloudUsd)}
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</>
	);
}

function timeOf(seconds: number | null): string {
	return seconds === null ? "none" : span(seconds);
}
