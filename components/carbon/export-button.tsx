"use client";
import { useQuery } from "@tanstack/react-query";
import { carbonCsv } from "#components/carbon/export-csv.ts";
import { prepareCarbonTable } from "#components/carbon/prepare-table.ts";
import { type CarbonView, carbonQuery } from "#components/carbon/range.ts";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { useHour } from "#components/spend/use-spend.ts";
import { dateOf } from "#components/spend/zone-days.ts";
import { useTRPC } from "#components/trpc/client.tsx";

/** Exports the table as shown. */
export function CarbonExport({ view }: { view: CarbonView }) {
	const trpc = useTRPC();
	const range = carbonQuery(view, useHour());
	const { data } = useQuery(trpc.carbon.page.queryOptions(range));
	const day = (ms: number) => dateOf(ms, view.zone);
	return (
		<CsvButton
			fileName={`spillway-carbon-by-${view.by}-${day(range.fromMs)}-to-${day(range.toMs - 1)}.csv`}
			text={data ? () => carbonCsv(prepareCarbonTable(data.groups, view), view.by, range) : null}
		/>
	);
}
