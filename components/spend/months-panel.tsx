"use client";
import { Money } from "#components/money/money.tsx";
import { CellMoney, Change } from "#components/spend/cells.tsx";
import { prepareMonths } from "#components/spend/prepare-months.ts";
import { useSpend } from "#components/spend/use-spend.ts";
import type { SpendView } from "#components/spend/view.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Monthly comparison, independent of the range, with the screen's filters. */
export function MonthsTable({ view }: { view: SpendView }) {
	const { page, hour } = useSpend(view);
	const rows = prepareMonths(page, view, hour);
	if (rows.length === 0) return <p className="px-4 pb-4 text-ink-3">No charges yet.</p>;
	return (
		<Table aria-label="Monthly spend">
			<thead>
				<tr>
					<Th>Month</Th>
					<Th n>Owned, used</Th>
					<Th n>Owned, idle</Th>
					<Th n>Idle share</Th>
					<Th n>Cloud</Th>
					<Th n>Total</Th>
					<Th n>vs previous</Th>
					<Th n>Owned GPU-hour</Th>
					<Th n>Cloud GPU-hour</Th>
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<Tr key={row.id}>
						<Td phone="a" className="font-strong">
							<Link
								href={row.href}
								scroll={false}
								className="underline-offset-4 hover:underline max-md:inline-flex max-md:min-h-6 max-md:min-w-6 max-md:items-center"
							>
								{row.label}
							</Link>{" "}
							{row.note && <span className="font-book text-ink-3">{row.note}</span>}
						</Td>
						<Td n>
							<CellMoney cell={row.owned} what={`${row.label}, owned and used`} />
						</Td>
						<Td n>
							<CellMoney cell={row.idle} what={`${row.label}, owned and idle`} />
						</Td>
						<Td n className="text-ink-3">
							{row.idleShare === null ? "none owned" : formatPercent(row.idleShare)}
						</Td>
						<Td n>
							<CellMoney cell={row.cloud} what={`${row.label}, cloud`} />
						</Td>
						<Td phone="c" className="md:hidden">
							<CellMoney cell={row.owned} what={`${row.label}, owned and used`} /> used,{" "}
							<CellMoney cell={row.cloud} what={`${row.label}, cloud`} /> cloud
						</Td>
						<Td n phone="b" className="font-semibold">
							<CellMoney cell={row.total} what={row.label} />
						</Td>
						<Td n phone="d">
							<Change value={row.change?.value ?? null} estimate={row.change?.estimate ?? false} />
						</Td>
						<Td n>
							<Price value={row.ownedMicroUsdPerGpuHour} />
						</Td>
						<Td n>
							<Price value={row.cloudMicroUsdPerGpuHour} />
						</Td>
					</Tr>
				))}
			</tbody>
		</Table>
	);
}

function Price({ value }: { value: bigint | null }) {
	return value === null ? <span className="text-ink-3">none used</span> : <Money value={value} kind="price" />;
}
