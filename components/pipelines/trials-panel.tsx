"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Money } from "#components/money/money.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Chip } from "#components/ui/chip.tsx";
import { formatThreeDigits } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { ScatterPlot } from "./scatter-plot.tsx";
import { pipelineTone } from "./step-state.ts";

type Trials = Outputs["pipeline"]["trials"];
const ROWS_MAX = 50;

/** Trials of a sweep: metric against a parameter, the best so far, and what each cost. */
export function TrialsPanel({ id }: { id: string }) {
	const trpc = useTRPC();
	const [metric, setMetric] = useState<string | null>(null);
	const [axis, setAxis] = useState<string | null>(null);
	const { data } = useQuery(trpc.pipeline.trials.queryOptions({ id, ...(metric !== null && { metric }) }));
	if (!data)
		return (
			<Panel title="Trials">
				<TableSkeleton rows={6} columns={5} label="Loading trials" />
			</Panel>
		);
	const parameters = [...new Set(data.items.flatMap(({ values }) => Object.keys(values)))];
	const shownAxis = axis ?? parameters[0] ?? null;
	const best = data.items.find(({ index }) => index === data.best);
	return (
		<>
			<Panel
				title={data.metric === null ? "Metric" : `${data.metric} against ${shownAxis ?? "trial"}`}
				sub={best?.best == null ? "no trial has reported a metric yet" : `best so far: ${formatThreeDigits(best.best)} (${best.name})`}
				actions={
					<>
						<Choice label="Metric" value={data.metric} options={data.metrics} onChange={setMetric} />
						<Choice label="Parameter" value={shownAxis} options={parameters} onChange={setAxis} />
					</>
				}
			>
				<ScatterPlot trials={data.items} axis={shownAxis} best={data.best} metric={data.metric ?? "metric"} />
			</Panel>
			<TrialsTable trials={data} parameters={parameters} />
		</>
	);
}

type ChoiceProps = { label: string; value: string | null; options: readonly string[]; onChange: (value: string) => void };

function Choice({ label, value, options, onChange }: ChoiceProps) {
	if (options.length < 2) return null;
	return (
		<label className="flex items-center gap-1.5 text-xs">
			{label}
			<select
				value={value ?? ""}
				onChange={(event) => onChange(event.target.value)}
				className="h-7 rounded-md border bg-panel px-1.5 text-ink"
			>
				{options.map((option) => (
					<option key={option}>{option}</option>
				))}
			</select>
		</label>
	);
}

function TrialsTable({ trials, parameters }: { trials: Trials; parameters: readonly string[] }) {
	const sign = trials.goal === "minimize" ? 1 : -1;
	const rank = (value: number | null): number => (value === null ? Number.POSITIVE_INFINITY : sign * value);
	const shown = trials.items.toSorted((a, b) => rank(a.best) - rank(b.best) || a.index - b.index).slice(0, ROWS_MAX);
	return (
		<Panel title="Trials" sub={shown.length < trials.items.length ? `best ${ROWS_MAX} of ${trials.items.length}` : "best first"}>
			<Table aria-label="Trials">
				<thead>
					<tr>
						<Th>Trial</Th>
						{parameters.map((name) => (
							<Th key={name} n>
								{name}
							</Th>
						))}
						<Th n>{trials.metric ?? "Metric"}</Th>
						<Th n>Step</Th>
						<Th>State</Th>
						<Th n>Cost</Th>
					</tr>
				</thead>
				<tbody>
					{shown.map((trial) => (
						<Tr key={trial.index} selected={trial.index === trials.best}>
							<Td phone="a">
								{trial.jobId === null ? (
									trial.name
								) : (
									<Link href={`/jobs/${trial.jobId}`} className="font-strong hover:underline">
										{trial.name}
									</Link>
								)}
							</Td>
							{parameters.map((name) => (
								<Td key={name} n>
									{String(trial.values[name] ?? "")}
								</Td>
							))}
							<Td n phone="b">
								{trial.best === null ? null : formatThreeDigits(trial.best)}
							</Td>
							<Td n>{trial.lastStep}</Td>
							<Td phone="c" className="whitespace-normal!">
								<Chip tone={pipelineTone(trial.state)}>{trial.why ? (trial.jobId === null ? "not started" : "stopped") : trial.state}</Chip>
								{trial.why && <span className="ml-2 text-xs text-ink-3">{trial.why}</span>}
							</Td>
							<Td n phone="d">
								<Money value={trial.costMicroUsd} />
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</Panel>
	);
}
