"use client";
import { useQuery } from "@tanstack/react-query";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { demandCsv } from "./export-csv.ts";
import { hasDemand } from "./prepare-demand.ts";
import { type DemandRange, demandQuery } from "./range.ts";

/** Exports the demand chart's data. */
export function DemandExport({ range }: { range: DemandRange }) {
	const trpc = useTRPC();
	const { data } = useQuery(trpc.overview.demand.queryOptions(demandQuery(range)));
	const text = data && hasDemand(data) ? () => demandCsv(data) : null;
	return <CsvButton size="sm" label="GPU demand as CSV" fileName={`spillway-demand-${range}.csv`} text={text} />;
}
