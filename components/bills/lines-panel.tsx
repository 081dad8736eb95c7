"use client";
import { type BillsView, billsHref, billsQuery } from "#components/bills/params.ts";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { formatClock, formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Bill lines for one resource; the lines that count add up to the billed amount. */
export function LinesPanel({ view, resource }: { view: BillsView; resource: string }) {
	const trpc = useTRPC();
	const { data: reconciled } = useSuspenseQuery(trpc.bill.reconciliation.queryOptions(billsQuery(view)));
	const instanceId = reconciled.items.find((item) => item.resourceId === resource)?.instanceId ?? null;
	const { data } = useSuspenseQuery(
		trpc.bill.lines.queryOptions({ month: view.month, resourceId: resource, ...(instanceId === null ? {} : { instanceId }) }),
	);
	const close = (
		<ButtonLink size="sm" href={billsHref({ ...view, resource: null })}>
			Close
		</ButtonLink>
	);
	return (
		<Panel
			id="lines"
			title="Bill lines"
			sub={
				<>
					{formatCount(data.items.length)}
					{data.truncated && "+"} for {resource}; total <Money value={data.effectiveMicroUsd} />
				</>
			}
			actions={close}
		>
			{data.items.length === 0 ? (
				<EmptyState icon="statements" title="No bill lines for this resource">
					The ledger has charges for it but no bill does, or it belongs to another month.
				</EmptyState>
			) : (
				<Table aria-label="Bill lines">
					<thead>
						<tr>
							<Th>Time (UTC)</Th>
							<Th>Line</Th>
							<Th>Description</Th>
							<Th n>Effective</Th>
							<Th n>List</Th>
							<Th n>Billed</Th>
						</tr>
					</thead>
					<tbody>
						{data.items.map((line) => (
							<Tr key={line.id} className={cn(line.restated && "text-ink-3")}>
								<Td phone="c" className="tabular">
									{formatDay(line.periodStartMs, false)}, {formatClock(line.periodStartMs)} to {formatClock(line.periodEndMs)}
								</Td>
								<Td phone="d" className="max-w-64 truncate" title={line.id}>
									<span className="max-md:hidden">{line.fileName}, </span>row {line.rowNumber}
								</Td>
								<Td phone="a" className="max-w-96 truncate" title={line.description ?? ""}>
									{line.description ?? line.chargeCategory}
									{line.chargeClass !== null && `, ${line.chargeClass}`}
									{line.restated && ", superseded by a later bill and not counted"}
								</Td>
								<Td n phone="b" className={line.restated ? "line-through" : "font-semibold"}>
									<Money value={line.effectiveMicroUsd} />
								</Td>
								<Td n>
									<Money value={line.listMicroUsd} />
								</Td>
								<Td n>
									<Money value={line.billedMicroUsd} />
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}
