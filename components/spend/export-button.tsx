"use client";
import { useQuery } from "@tanstack/react-query";
import { spendCsv } from "#components/spend/export-csv.ts";
import { prepareSpendTable } from "#components/spend/prepare-table.ts";
import { rangeOf, spendQuery } from "#components/spend/range.ts";
import { type SpendView, useToday } from "#components/spend/use-spend.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";

/** Hands out the table that is on the screen, as a file. */
export function ExportButton({ view }: { view: SpendView }) {
	const trpc = useTRPC();
	const today = useToday();
	const { data } = useQuery(trpc.spend.page.queryOptions(spendQuery(view.range, view.by, today)));
	const save = () => {
		if (!data) return;
		const range = rangeOf(view.range, today);
		const url = URL.createObjectURL(
			new Blob([spendCsv(prepareSpendTable(data.groups, view.by), view.by, range)], { type: "text/csv;charset=utf-8" }),
		);
		const link = document.createElement("a");
		link.href = url;
		const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
		link.download = `spillway-spend-by-${view.by}-${day(range.fromMs)}-to-${day(range.toMs - 1)}.csv`;
		link.click();
		URL.revokeObjectURL(url);
	};
	return (
		<Button icon="download" onClick={save} disabled={!data}>
			<span className="max-md:hidden">Export as shown</span>
			<span className="md:hidden">CSV</span>
		</Button>
	);
}
