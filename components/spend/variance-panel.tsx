"use client";
import Link from "next/link";
import { Money } from "#components/money/money.tsx";
import { useHour } from "#components/spend/use-spend.ts";
import { type SpendView, spendHref, spendQuery } from "#components/spend/view.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel, PanelSplit } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { VARIANCE_WORDS } from "#server/domain/variance-cause.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type VarianceView, type WaterfallStep, waterfall } from "./prepare-variance.ts";
import { datesLabel } from "./range.ts";
import { dateOf } from "./zone-days.ts";

const PARTS_SHOWN = 8;

/** Why the range cost more or less than the one before: one sentence, a waterfall, and the lines of work behind it. */
export function VariancePanel({ view }: { view: SpendView }) {
	const { fromMs, toMs, filters } = spendQuery(view, useHour());
	const { data } = useSuspenseQuery(useTRPC().spend.variance.queryOptions({ fromMs, toMs, filters }));
	if (data === null || (data.beforeMicroUsd === 0n && data.afterMicroUsd === 0n)) return null;
	const before = datesLabel({ from: dateOf(data.before.fromMs, view.zone), to: dateOf(data.before.toMs - 1, view.zone) });
	return (
		<Panel
			id="variance"
			title="What changed"
			sub={data.sentence ?? `against ${before}`}
			actions={
				<span title={`Compared with ${before}; causes add up exactly`}>
					<Money value={data.afterMicroUsd - data.beforeMicroUsd} signed />
				</span>
			}
		>
			<PanelSplit columns="minmax(0,1fr) minmax(0,1.1fr)" className="border-t">
				<Waterfall variance={data} before={before} />
				<Parts variance={data} view={view} />
			</PanelSplit>
		</Panel>
	);
}

function Waterfall({ variance, before }: { variance: VarianceView; before: string }) {
	const label = (cause: WaterfallStep["cause"]) => (cause === "before" ? before : cause === "after" ? "This range" : VARIANCE_WORDS[cause]);
	return (
		<dl className="grid content-start gap-y-1.5 px-4 py-3">
			{waterfall(variance).map((step) => {
				const total = step.cause === "before" || step.cause === "after";
				return (
					<div key={step.cause} className="grid grid-cols-[8.5rem_minmax(0,1fr)_6.5rem] items-center gap-2.5">
						<dt className={cn("truncate", total ? "font-strong" : "text-ink-2")}>{label(step.cause)}</dt>
						<dd aria-hidden className="relative h-4">
							<Bar step={step} total={total} />
						</dd>
						<dd className="num">
							<Money value={step.microUsd} signed={!total} />
						</dd>
					</div>
				);
			})}
		</dl>
	);
}

function Bar({ step, total }: { step: WaterfallStep; total: boolean }) {
	const left = Math.min(step.from, step.to);
	return (
		<span
			className={cn("mark-exact absolute inset-y-0.5 rounded-xs", total ? "bg-ink-3" : step.microUsd > 0n ? "bg-risk" : "bg-ok")}
			style={{ left: `${left * 100}%`, width: `max(2px, ${Math.abs(step.to - step.from) * 100}%)` }}
		/>
	);
}

/** The largest effects, each with its jobs. */
function Parts({ variance, view }: { variance: VarianceView; view: SpendView }) {
	const hours = (gpuMs: bigint) => formatCount(Math.round(Number(gpuMs) / HOUR_MS));
	const shown = variance.parts.slice(0, PARTS_SHOWN);
	return (
		<Table aria-label="Causes by line of work">
			<thead>
				<tr>
					<Th>Line of work</Th>
					<Th>Cause</Th>
					<Th n>GPU-hours</Th>
					<Th n>Change</Th>
				</tr>
			</thead>
			<tbody>
				{shown.map((part) => (
					<Tr key={`${part.cause}-${part.team}-${part.project}`}>
						<Td phone="a">
							{part.team === "" ? (
								"Owned hardware"
							) : (
								<Link
									href={spendHref({ ...view, by: "job", filters: { team: [part.team], project: [part.project] } })}
									prefetch={false}
									className="font-strong hover:underline"
								>
									{part.project || part.team}
									<span className="sr-only">: jobs</span>
								</Link>
							)}{" "}
							<span className="text-ink-3">{part.project && part.team}</span>
						</Td>
						<Td phone="c">{VARIANCE_WORDS[part.cause]}</Td>
						<Td n phone="d" className="text-ink-3">
							{hours(part.beforeGpuMs)} → {hours(part.afterGpuMs)}
						</Td>
						<Td n phone="b">
							<Money value={part.microUsd} signed />
						</Td>
					</Tr>
				))}
			</tbody>
		</Table>
	);
}
