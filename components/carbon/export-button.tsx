"use client";
import { useQuery } from "@tanstack/react-query";
import { carbonCsv } from "#components/carbon/export-csv.ts";
import { prepareCarbonTable } from "#components/carbon/prepare-table.ts";
import { type CarbonView, carbonQuery, rangeOf } from "#components/carbon/range.ts";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { useToday } from "#components/spend/use-spend.ts";
import { useTRPC } from "#components/trpc/client.tsx";

/** Hands out the table that is on the screen, as a file. */
export function CarbonExport({ view }: { view: CarbonView }) {
	const trpc = useTRPC();
	const today = useToday();
	const { data } = useQuery(trpc.carbon.page.queryOptions(carbonQuery(view, today)));
	const range = rangeOf(view.range, today);
	const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
	return (
		<CsvButton
			fileName={`spillway-carbon-by-${view.by}-${day(range.fromMs)}-to-${day(range.toMs - 1)}.csv`}
			text={data ? () => carbonCsv(prepareCarbonTable(data.groups, view.by), view.by, range) : null}
		/>
	);
}
