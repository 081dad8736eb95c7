"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { startTransition, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Field, Select } from "#components/ui/input.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { notify } from "#components/ui/toast.tsx";
import { ImportRatesDialog } from "./import-rates-dialog.tsx";
import { RATES_SHOWN } from "./rates-shown.ts";

/** The reporting currency, and the exchange rates that reports are converted with. */
export function CurrencyPanel({ mayChange }: { mayChange: boolean }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.currency.get.queryOptions());
	const [isOpen, setIsOpen] = useState(false);
	return (
		<>
			<Panel title="Reporting currency">
				<ReportingCurrency current={data.currency} known={data.currencies.map(({ currency }) => currency)} mayChange={mayChange} />
			</Panel>
			<Panel
				title="Exchange rates"
				sub={data.currencies.length > 0 ? `${data.currencies.map(({ currency }) => currency).join(", ")}, newest first` : undefined}
				actions={
					mayChange && (
						<Button size="sm" icon="plus" onClick={() => setIsOpen(true)}>
							Import rates
						</Button>
					)
				}
			>
				<Rates currencies={data.currencies} />
			</Panel>
			{isOpen && <ImportRatesDialog onClose={() => setIsOpen(false)} />}
		</>
	);
}

function ReportingCurrency({ current, known, mayChange }: { current: string; known: readonly string[]; mayChange: boolean }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const set = useMutation(
		trpc.currency.set.mutationOptions({
			onSettled: () => {
				void client.invalidateQueries({ queryKey: trpc.currency.pathKey() });
				void client.invalidateQueries({ queryKey: trpc.spend.pathKey() });
			},
			onSuccess: ({ currency }) => notify({ tone: "done", title: `Reports are in ${currency}` }),
		}),
	);
	const error = set.error ? describeError(set.error).detail : undefined;
	return (
		<div className="px-4 py-3">
			<Field label="Currency" htmlFor="reporting-currency" hint="The ledger, budgets and prices stay in US dollars." error={error}>
				<Select
					id="reporting-currency"
					className="max-w-48"
					value={current}
					disabled={!mayChange || set.isPending}
					aria-describedby="reporting-currency-note"
					onChange={(event) => set.mutate({ currency: event.target.value })}
				>
					{[...new Set(["USD", current, ...known])].map((code) => (
						<option key={code}>{code}</option>
					))}
				</Select>
			</Field>
		</div>
	);
}

const MORE = 100;
/** Older ones: spillway currency rates. */
const LIMIT_MAX = 1_000;

type Rated = { currency: string; rates: number; from: string; to: string };

function Rates({ currencies }: { currencies: readonly Rated[] }) {
	const trpc = useTRPC();
	const [limit, setLimit] = useState(RATES_SHOWN);
	const { data: rates } = useSuspenseQuery(trpc.currency.rates.queryOptions({ limit }));
	const rest =
		Math.min(
			LIMIT_MAX,
			currencies.reduce((sum, { rates: count }) => sum + count, 0),
		) - rates.length;
	if (currencies.length === 0)
		return (
			<EmptyState icon="spend" title="No exchange rates yet">
				Import rates to show reports in another currency.
			</EmptyState>
		);
	return (
		<>
			<Table aria-label="Exchange rates">
				<thead>
					<tr>
						<Th>Date</Th>
						<Th>Currency</Th>
						<Th n>For 1 USD</Th>
						<Th>Source</Th>
					</tr>
				</thead>
				<tbody>
					{rates.map((rate) => (
						<Tr key={`${rate.currency} ${rate.date}`}>
							<Td phone="a">{rate.date}</Td>
							<Td phone="b">{rate.currency}</Td>
							<Td n phone="c" className="tabular">
								{rate.rate}
							</Td>
							<Td phone="d" className="text-ink-3">
								{rate.source}
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
			{rest > 0 && (
				<Button
					variant="link"
					size="sm"
					className="mx-4 my-2"
					onClick={() => startTransition(() => setLimit(Math.min(LIMIT_MAX, limit + MORE)))}
				>
					Show {formatCount(Math.min(MORE, rest))} more{rest > MORE && ` of ${formatCount(rest)}`}
				</Button>
			)}
		</>
	);
}
