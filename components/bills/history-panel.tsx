"use client";
import { type BillsView, historyQuery, type PostedByBills, type ReconciliationRun } from "#components/bills/params.ts";
import { postedCharges } from "#components/bills/prepare-rows.ts";
import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { valueLabel } from "#components/spend/view.ts";
import { formatExact } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Reconciliation runs and what each posted. */
export function HistoryPanel({ view }: { view: BillsView }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.bill.reconciliationHistory.queryOptions(historyQuery(view)));
	if (data.runs.length === 0) return null;
	return (
		<Panel
			title="Reconciliations"
			sub={data.truncated ? `newest ${data.runs.length}; each posts only new differences` : "newest first; each posts only new differences"}
		>
			<Table aria-label="Reconciliations">
				<thead>
					<tr>
						<Th>Time (UTC)</Th>
						<Th>By</Th>
						<Th>Posted</Th>
						<Th n>Charges</Th>
						<Th n>Effective</Th>
						<Th n>Billed</Th>
					</tr>
				</thead>
				<tbody>
					{data.runs.flatMap((run) =>
						run.posted.length === 0
							? [<RunRow key={run.at} run={run} month={view.month} posted={null} />]
							: run.posted.map((posted) => (
									<RunRow key={`${run.at}/${posted.provider}/${posted.what}`} run={run} month={view.month} posted={posted} />
								)),
					)}
				</tbody>
			</Table>
		</Panel>
	);
}

const WHAT = { corrections: "corrections", invoice_items: "credits and taxes" } as const;

function RunRow({ run, month, posted }: { run: ReconciliationRun; month: string; posted: PostedByBills | null }) {
	return (
		<Tr>
			<Td phone="c" className="tabular">
				<time dateTime={run.at}>{formatExact(Date.parse(run.at))}</time>
			</Td>
			<Td className="max-w-52 truncate">
				{run.byName ?? run.by}
				{run.final && <span className="text-ink-3">, final</span>}
			</Td>
			<Td phone="a" className={posted === null ? "text-ink-3" : ""}>
				{posted === null ? "nothing; the ledger matched" : `${valueLabel("provider", posted.provider)}, ${WHAT[posted.what]}`}
			</Td>
			<Td n phone="d">
				{formatCount(posted?.charges ?? 0)}
				<span className="md:hidden"> charges</span>
			</Td>
			<Td n phone="b" className="font-semibold">
				{posted === null ? (
					<span className="font-book text-ink-3">none</span>
				) : (
					<Drill href={postedCharges(month, run, posted)} what={`${WHAT[posted.what]} of ${posted.provider}, ${run.at}`}>
						<Money value={posted.effectiveMicroUsd} signed />
					</Drill>
				)}
			</Td>
			<Td n>{posted === null ? <span className="text-ink-3">none</span> : <Money value={posted.billedMicroUsd} signed />}</Td>
		</Tr>
	);
}
