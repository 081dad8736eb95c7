"use client";
import type { ReactNode } from "react";
import { type RunAxis, RunBar } from "#components/charts/run-bar.tsx";
import { timeTicks } from "#components/charts/scale.ts";
import { Carbon } from "#components/emissions/carbon.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money, PriceMissing } from "#components/money/money.tsx";
import { Place } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { Time } from "#components/time/relative-time.tsx";
import type { CandidateView } from "#components/trpc/outputs.ts";
import { cn } from "#components/ui/cn.ts";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { CandidateOutcome } from "./candidate-outcome.tsx";
import { type CandidateRow, type DecisionRows, decidingFact, isPrepaid, lateness, runAxis } from "./decision-rows.ts";

type CandidateTableProps = {
	rows: DecisionRows;
	gpus: number;
	deadlineMs: number | null;
	/** Compact layout next to a quote: without egress, CO2, start and axis. */
	compact?: boolean;
};

/** Columns hidden on narrow screens. */
const NARROW = "max-[89.99rem]:hidden";
const COLUMNS = 9;
const NARROW_COLUMNS = 3;

/** Decision candidates with price, time and outcome. One column is a shared time axis. */
export function CandidateTable({ rows, gpus, deadlineMs, compact = false }: CandidateTableProps) {
	const axis = compact ? null : runAxis([...rows.passing, ...rows.removed], deadlineMs);
	const chosen = rows.passing.find((r) => r.candidate.outcome === "chosen")?.candidate ?? null;
	const line = (row: CandidateRow) => (
		<CandidateLine key={row.id} row={row} gpus={gpus} deadlineMs={deadlineMs} axis={axis} chosen={chosen} compact={compact} />
	);
	return (
		<Table aria-label="Candidates" className={compact ? "" : "md:table-fixed"}>
			{!compact && <Widths />}
			<thead>
				<tr>
					<Th>Candidate</Th>
					<Th n>$ per hour</Th>
					{!compact && (
						<Th n className={NARROW}>
							Start
						</Th>
					)}
					<Th n>Finish</Th>
					{!compact && (
						<Th className="relative p-0!">
							<span className="sr-only">Run time</span>
							<AxisHead axis={axis} />
						</Th>
					)}
					{!compact && (
						<Th n className={NARROW}>
							Egress
						</Th>
					)}
					{!compact && (
						<Th n className={NARROW}>
							CO2
						</Th>
					)}
					<Th n>Total</Th>
					<Th className={compact ? "w-[40%]" : ""}>Outcome</Th>
				</tr>
			</thead>
			<tbody>
				{rows.passing.map(line)}
				{rows.morePassing > 0 && (
					<GroupLine compact={compact}>{rows.morePassing.toLocaleString("en-US")} more eligible, ranked lower</GroupLine>
				)}
				{rows.removed.length > 0 && (
					<GroupLine compact={compact}>Excluded (cheapest of each reason, {rows.removedCount.toLocaleString("en-US")} total)</GroupLine>
				)}
				{rows.removed.map(line)}
			</tbody>
		</Table>
	);
}

/** Fixed widths keep the time axis and columns aligned between decisions. */
function Widths() {
	return (
		<colgroup className="max-md:hidden">
			<col className="w-46" />
			<col className="w-21" />
			<col className={`w-19 ${NARROW}`} />
			<col className="w-21" />
			<col className="w-60 max-[89.99rem]:w-40" />
			<col className={`w-17 ${NARROW}`} />
			<col className={`w-19 ${NARROW}`} />
			<col className="w-21" />
			<col />
		</colgroup>
	);
}

/** Spans only the columns visible on narrow screens; spanning hidden ones would reserve their width. */
function GroupLine({ compact, children }: { compact: boolean; children: ReactNode }) {
	return (
		<tr className="max-md:block">
			<td
				colSpan={compact ? 5 : COLUMNS - NARROW_COLUMNS}
				className="hairline-b h-8 px-4 pt-2 text-xs font-strong text-ink-3 max-md:block max-md:h-auto max-md:pb-1.5"
			>
				{children}
			</td>
			{!compact && <td colSpan={NARROW_COLUMNS} className={cn("hairline-b", NARROW)} />}
		</tr>
	);
}

function AxisHead({ axis }: { axis: RunAxis | null }) {
	if (!axis) return null;
	const at = (ms: number) => ((ms - axis.fromMs) / (axis.toMs - axis.fromMs)) * 100;
	const due = axis.deadlineMs ? at(axis.deadlineMs) : null;
	const ticks = timeTicks(axis.fromMs, axis.toMs, 4).filter(
		(t) => at(t.atMs) > 8 && at(t.atMs) < 92 && (due === null || Math.abs(at(t.atMs) - due) > 22),
	);
	return (
		<span aria-hidden className="tabular absolute inset-0 text-2xs font-book">
			{ticks.map((t) => (
				<span key={t.atMs} className="absolute top-2.5 -translate-x-1/2" style={{ left: `${at(t.atMs)}%` }}>
					{t.label}
				</span>
			))}
			{due !== null && (
				<span
					className="absolute top-2.5 -translate-x-1/2 font-strong text-risk-ink"
					style={{ left: `${Math.min(90, Math.max(10, due))}%` }}
				>
					Due
				</span>
			)}
		</span>
	);
}

type LineProps = {
	row: CandidateRow;
	gpus: number;
	deadlineMs: number | null;
	axis: RunAxis | null;
	chosen: CandidateView | null;
	compact: boolean;
};

const STRONG = "font-semibold text-ink";

function CandidateLine({ row, gpus, deadlineMs, axis, chosen, compact }: LineProps) {
	const c = row.candidate;
	const removed = c.outcome === "removed";
	const fact = c.removedBy ? decidingFact(c.removedBy.why) : null;
	const late = row.timed ? lateness(c.finish, deadlineMs) : "on_time";
	const prepaid = isPrepaid(c);
	const priced = prepaid || BigInt(c.hourlyMicroUsd) > 0n;
	const bar = axis && row.timed && (
		<RunBar
			axis={axis}
			startMs={c.start.p50Ms}
			finishMs={c.finish.p50Ms}
			p90Ms={c.finish.p90Ms}
			capacity={c.placement.capacityType}
			faded={removed}
		/>
	);
	return (
		<Tr selected={c.outcome === "chosen"} faded={removed}>
			<Td phone="a" className="py-1.5 max-md:[grid-area:1/1/3/2]!">
				<span className={cn("block", removed && fact !== "place" && "[&_.font-strong]:font-book [&_.font-strong]:text-ink-2")}>
					<Place {...shownPlace(c.placement)} word={false} />
				</span>
				<span className={cn("block text-xs", fact === "machine" ? STRONG : "text-ink-3")}>
					<Machine candidate={c} gpus={gpus} />
				</span>
			</Td>
			<Td n className={fact === "price" ? STRONG : ""}>
				{prepaid ? (
					<>
						<Money value="0" kind="whole" />
						<span className="block text-xs font-book text-ink-3">prepaid</span>
					</>
				) : priced ? (
					<Money value={c.hourlyMicroUsd} kind="price" />
				) : (
					<PriceMissing why={c.removedBy?.why === "price_zero" ? "zero" : "missing"} />
				)}
			</Td>
			{!compact && (
				<Td n className={cn(NARROW, fact === "start" && STRONG)}>
					{row.timed && <Time atMs={c.start.p50Ms} form="short" />}
				</Td>
			)}
			<Td n phone="d" className={late === "late" ? "font-semibold text-risk-ink" : ""}>
				{row.timed && (
					<>
						<Time atMs={c.finish.p50Ms} form="short" className="block" />
						<span className={cn("block text-xs max-md:hidden", late === "at_risk" ? "font-semibold text-risk-ink" : "text-ink-3")}>
							by <Time atMs={c.finish.p90Ms} form="short" />
						</span>
					</>
				)}
			</Td>
			{!compact && <Td className="relative p-0">{bar}</Td>}
			{!compact && (
				<Td n className={NARROW}>
					{priced && <Money value={c.egressMicroUsd} kind={c.egressMicroUsd === "0" ? "whole" : "estimate"} />}
				</Td>
			)}
			{!compact && (
				<Td n className={NARROW}>
					{c.emissionsGrams === null ? <span className="text-ink-3">unknown</span> : <Carbon grams={c.emissionsGrams} />}
				</Td>
			)}
			<Td n phone="b" className={fact === "total" || c.outcome === "chosen" ? STRONG : ""}>
				{priced && row.timed && <Money value={c.totalMicroUsd} kind="estimate" />}
				{priced && row.timed && !compact && <DiskPart candidate={c} />}
			</Td>
			<Td phone="e" className="py-1.5 leading-snug [overflow-wrap:anywhere] whitespace-normal!">
				{bar && <span className="relative mb-1 block h-4 md:hidden">{bar}</span>}
				<CandidateOutcome row={row} chosen={chosen} />
			</Td>
		</Tr>
	);
}

/** Shows whether the total includes the machine's disk; the amount is on hover. Owned hardware includes its disk. */
function DiskPart({ candidate: c }: { candidate: CandidateView }) {
	if (c.placement.capacityType === "owned") return null;
	const known = c.storageMicroUsd !== undefined;
	const said = known ? `Includes ${formatMoney(c.storageMicroUsd ?? "0", "estimate")} for the disk` : "Disk price unknown and not included";
	return (
		<span className="block text-xs font-book text-ink-3" title={said}>
			{known ? "incl. disk" : "excl. disk"}
		</span>
	);
}

/** "p5.48xlarge, spot", "8 × H100-80GB, owned". */
function Machine({ candidate: c, gpus }: { candidate: CandidateView; gpus: number }) {
	const { instanceType, accelerator, capacityType } = c.placement;
	const machine = instanceType ?? (accelerator ? `${gpus} × ${accelerator}` : "owned");
	const times = c.instances > 1 && instanceType ? `${c.instances} × ` : "";
	return (
		<>
			{times}
			{machine}
			{capacityType === "owned" ? ", owned" : `, ${capacityType === "on_demand" ? "on-demand" : capacityType}`}
		</>
	);
}
