"use client";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { bucketOfView, datesOfView, type SpendView, spendQuery } from "#components/spend/view.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Select } from "#components/ui/input.tsx";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { currencyCsv, formatIn, prepareCurrencyRows, ratesText } from "./prepare-currency.ts";
import { useHour } from "./use-spend.ts";

/** The breakdown in the reporting currency or that of `?currency=`. */
export function CurrencyPanel({ view }: { view: SpendView }) {
	const trpc = useTRPC();
	const { data: known } = useSuspenseQuery(trpc.currency.get.queryOptions());
	const [asked, setAsked] = useQueryState("currency", parseAsString);
	const currency = asked ?? known.currency;
	const codes = [...new Set([known.currency, ...known.currencies.map((c) => c.currency), currency, "USD"])];
	return (
		<Panel
			title={currency === "USD" ? "In US dollars only" : `In ${currency}`}
			actions={
				<Select aria-label="Currency" className="w-24" value={currency} onChange={(event) => void setAsked(event.target.value)}>
					{codes.map((code) => (
						<option key={code}>{code}</option>
					))}
				</Select>
			}
		>
			{currency !== "USD" && <Converted view={view} currency={currency} />}
		</Panel>
	);
}

function Converted({ view, currency }: { view: SpendView; currency: string }) {
	const trpc = useTRPC();
	const hour = useHour();
	const { fromMs, toMs, groupBy, filters } = spendQuery(view, hour);
	const { data, error } = useQuery({ ...trpc.spend.inCurrency.queryOptions({ fromMs, toMs, groupBy, filters, currency }), retry: false });
	if (error)
		return (
			<p role="alert" className="px-4 py-3 text-risk-ink">
				{describeError(error).detail} <RatesLink />
			</p>
		);
	if (!data) return <TableSkeleton rows={4} columns={5} label="Loading converted spend" />;
	const rows = prepareCurrencyRows(data, view, bucketOfView(view, hour));
	const { from, to } = datesOfView(view, hour);
	return (
		<>
			<Table aria-label={`Breakdown in ${currency}`}>
				<thead>
					<tr>
						<Th>Group</Th>
						<Th n>Owned, used</Th>
						<Th n>Owned, idle</Th>
						<Th n>Cloud</Th>
						<Th n>Total, {currency}</Th>
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<Tr key={row.id} total={row.id === "total"}>
							<Td phone="a">{row.label}</Td>
							<Td n>{formatIn(row.sums.ownedMicro)}</Td>
							<Td n>{formatIn(row.sums.idleMicro)}</Td>
							<Td n>{formatIn(row.sums.cloudMicro)}</Td>
							<Td n phone="b">
								{formatIn(row.sums.totalMicro)}
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
			<div className="flex flex-wrap items-center justify-between gap-2 px-4 py-2.5 text-ink-3">
				<p>
					{ratesText(data.rates)} <RatesLink />
				</p>
				<CsvButton fileName={`spillway-spend-${currency}-${from}-to-${to}.csv`} text={() => currencyCsv(rows, data)} />
			</div>
		</>
	);
}

function RatesLink() {
	return (
		<Link href="/settings/currency" className="text-accent underline-offset-4 hover:underline">
			Exchange rates
		</Link>
	);
}
