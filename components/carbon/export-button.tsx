"use client";
import { useQuery } from "@tanstack/react-query";
import { carbonCsv } from "#components/carbon/export-csv.ts";
import { prepareCarbonTable } from "#components/carbon/prepare-table.ts";
import { type CarbonView, carbonQuery, rangeOf } from "#components/carbon/range.ts";
import { useToday } from "#components/spend/use-spend.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";

/** Hands out the table that is on the screen, as a file. */
export function CarbonExport({ view }: { view: CarbonView }) {
	const trpc = useTRPC();
	const today = useToday();
	const { data } = useQuery(trpc.carbon.page.queryOptions(carbonQuery(view, today)));
	const ready = useHydrated() && data !== undefined;
	const save = () => {
		if (!data) return;
		const range = rangeOf(view.range, today);
		const csv = carbonCsv(prepareCarbonTable(data.groups, view.by), view.by, range);
		const url = URL.createObjectURL(new Blob([csv], { type: "text/csv;charset=utf-8" }));
		const link = document.createElement("a");
		link.href = url;
		const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
		link.download = `spillway-carbon-by-${view.by}-${day(range.fromMs)}-to-${day(range.toMs - 1)}.csv`;
		link.click();
		URL.revokeObjectURL(url);
	};
	return (
		<Button icon="download" onClick={save} disabled={!ready}>
			<span className="max-md:hidden">Export as shown</span>
			<span className="md:hidden">CSV</span>
		</Button>
	);
}
