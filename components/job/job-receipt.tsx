"use client";
import { Carbon } from "#components/emissions/carbon.tsx";
import { ReceiptCarbon } from "#components/emissions/receipt-carbon.tsx";
import { Money } from "#components/money/money.tsx";
import { Place } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { jobChargesHref } from "#components/spend/links.ts";
import { dateOf } from "#components/spend/zone-days.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobDetail, ReceiptView } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel, PanelSplit } from "#components/ui/panel.tsx";
import { electricityWords } from "#server/domain/home-electricity.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { KeptStorage } from "./kept-storage.tsx";
import { ReceiptAlternatives } from "./receipt-alternatives.tsx";
import { lacksDisk, lineText, machinePrice, type ReceiptAttempt, shownLines } from "./receipt-lines.ts";
import { useNowFor, useOutlook } from "./use-job.ts";

/** Cost by attempt and line, next to the cost of alternatives. */
export function JobReceipt({ job }: { job: JobDetail }) {
	const { data: receipt } = useSuspenseQuery(useTRPC().job.receipt.queryOptions({ id: job.id }));
	if (receipt.attempts.length === 0) {
		return (
			<Panel title="Receipt">
				<p className="px-4 pb-4 text-ink-2">{job.finishedAt === null ? "Not started; no cost yet." : "Never placed; no cost."}</p>
			</Panel>
		);
	}
	return (
		<Panel title="Receipt" sub="Posted amounts are final, metered ones still grow, ≈ marks estimates. Hover for exact amounts.">
			<PanelSplit columns="minmax(0,1.2fr) minmax(0,1fr)" className="border-t">
				<div>
					<Lines job={job} receipt={receipt} />
					{receipt.electricity && (
						<p className="border-t px-4 py-2.5 text-xs text-pretty text-ink-3">
							Electricity on owned GPUs: {electricityWords(receipt.electricity)}
						</p>
					)}
					{receipt.kept && <KeptStorage kept={receipt.kept} />}
					<ReceiptCarbon receipt={receipt} />
				</div>
				<ReceiptAlternatives job={job} receipt={receipt} />
			</PanelSplit>
		</Panel>
	);
}

const CELL = "h-8 px-2 first:pl-4 last:pr-4";

/** Link to its charges: from the day before the start to the day after the end, to cover every time zone. */
function chargesOf(job: JobDetail, nowMs: number): string {
	const ended = job.finishedAt === null ? nowMs : Date.parse(job.finishedAt);
	return jobChargesHref(job.id, dateOf(Date.parse(job.submittedAt) - DAY_MS, "UTC"), dateOf(ended + DAY_MS, "UTC"));
}

function Lines({ job, receipt }: { job: JobDetail; receipt: ReceiptView }) {
	const nowMs = useNowFor(job);
	const outlook = useOutlook(job, nowMs);
	const { costMicroUsd, emissionsMilligrams } = receipt.totals;
	const open = job.finishedAt === null;
	const expected = open && outlook.totalMicroUsd !== null && outlook.totalMicroUsd > costMicroUsd ? outlook.totalMicroUsd : null;
	return (
		<div>
			<table aria-label="Receipt" className="w-full border-collapse">
				<thead className="sr-only">
					<tr>
						<th scope="col">Item</th>
						<th scope="col">CO2</th>
						<th scope="col">Amount</th>
						<th scope="col">Status</th>
					</tr>
				</thead>
				{receipt.attempts.map((attempt) => (
					<AttemptLines key={attempt.attemptId} attempt={attempt} />
				))}
				{receipt.results.length > 0 && <ResultLines lines={receipt.results} />}
				<tbody>
					<tr className="font-semibold [&>*]:border-t">
						<td className={cn(CELL, "h-10")}>{open ? "So far" : "Total"}</td>
						<td className={cn(CELL, "num max-md:hidden")}>
							<Grams milligrams={emissionsMilligrams} />
						</td>
						<td className={cn(CELL, "num", !open && "text-md")}>
							<Link href={chargesOf(job, nowMs)} className="underline-offset-4 hover:text-accent hover:underline">
								<Money value={costMicroUsd} fact={`job/${job.id}/cost`} />
								<span className="sr-only">: charges</span>
							</Link>
						</td>
						<td className={CELL} />
					</tr>
					{expected !== null && (
						<>
							<tr>
								<td className={CELL}>
									Remaining <span className="text-xs text-ink-3">to forecast finish</span>
								</td>
								<td className="max-md:hidden" />
								<td className={cn(CELL, "num")}>
									<Money value={expected - costMicroUsd} kind="estimate" />
								</td>
								<td className={cn(CELL, "text-xs text-ink-3")}>forecast</td>
							</tr>
							<tr className="font-semibold [&>*]:border-t [&>*]:border-ink">
								<td className={cn(CELL, "h-11 text-md")}>Total</td>
								<td className="max-md:hidden" />
								<td className={cn(CELL, "num text-md")}>
									<Money value={expected} kind="estimate" fact={`job/${job.id}/total`} />
								</td>
								<td className={CELL} />
							</tr>
						</>
					)}
				</tbody>
			</table>
		</div>
	);
}

/** Storage and egress of results, and egress of data copied ahead: they belong to no attempt. */
function ResultLines({ lines }: { lines: ReceiptView["results"] }) {
	return (
		<tbody className="border-b last:border-b-0">
			<tr>
				<th scope="rowgroup" colSpan={4} className={cn(CELL, "h-9.5 pt-2 text-left font-semibold")}>
					Results and data copies
				</th>
			</tr>
			{shownLines(lines).map((line) => (
				<tr key={line.kind}>
					<td className={CELL}>{line.kind === "storage" ? "Storage" : "Egress of deliveries and copies"}</td>
					<td className="max-md:hidden" />
					<td className={cn(CELL, "num")}>
						<Money value={line.costMicroUsd} />
					</td>
					<td className={cn(CELL, "w-19 text-xs text-ink-3")}>{line.status}</td>
				</tr>
			))}
		</tbody>
	);
}

function AttemptLines({ attempt }: { attempt: ReceiptAttempt }) {
	const owned = attempt.placement.capacityType === "owned";
	const price = machinePrice(attempt);
	return (
		<tbody className="border-b last:border-b-0">
			<tr>
				<th scope="rowgroup" colSpan={4} className={cn(CELL, "h-9.5 pt-2 text-left font-semibold")}>
					Attempt {attempt.number}{" "}
					<span className="ml-1 font-book">
						<Place {...shownPlace(attempt.placement)} quiet />
					</span>
					<span className="text-xs font-book text-ink-3">
						, {attempt.state}
						{price !== null && (
							<span title="Cost so far divided by run time; clouds bill a minimum at the start">
								, <Money value={price} kind="price" /> per machine-hour
							</span>
						)}
					</span>
				</th>
			</tr>
			{attempt.lines.length === 0 && (
				<tr>
					<td colSpan={4} className={cn(CELL, "pb-2 text-xs text-ink-3")}>
						Nothing metered yet.
					</td>
				</tr>
			)}
			{lacksDisk(attempt) && (
				<tr>
					<td colSpan={4} className={cn(CELL, "text-xs text-ink-3")}>
						Excludes the machine's disk: price unknown.
					</td>
				</tr>
			)}
			{shownLines(attempt.lines).map((line) => {
				const { name, how } = lineText(line, owned);
				return (
					<tr key={line.kind}>
						<td className={cn(CELL, "max-md:py-1 md:whitespace-nowrap")}>
							<span className="inline-block min-w-24">{name}</span> <span className="tabular text-xs text-ink-3 max-md:block">{how}</span>
						</td>
						<td className={cn(CELL, "num text-xs text-ink-3 max-md:hidden")}>
							<Grams milligrams={line.emissionsMilligrams} />
						</td>
						<td className={cn(CELL, "num")}>
							<Money value={line.costMicroUsd} />
						</td>
						<td className={cn(CELL, "w-19 text-xs text-ink-3")}>{line.status}</td>
					</tr>
				);
			})}
		</tbody>
	);
}

function Grams({ milligrams }: { milligrams: bigint | null }) {
	return milligrams === null ? (
		<span title="Carbon intensity unknown" className="text-ink-3">
			unknown
		</span>
	) : (
		<Carbon grams={Number(milligrams) / 1_000} />
	);
}
