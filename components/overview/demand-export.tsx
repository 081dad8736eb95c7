"use client";
import { useQuery } from "@tanstack/react-query";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { demandCsv } from "./export-csv.ts";
import { hasDemand } from "./prepare-demand.ts";
import { type DemandRange, demandQuery } from "./range.ts";

/** Hands out the demand that is drawn, as a file. */
export function DemandExport({ range }: { range: DemandRange }) {
	const trpc = useTRPC();
	const { data } = useQuery(trpc.overview.demand.queryOptions(demandQuery(range)));
	const text = data && hasDemand(data) ? () => demandCsv(data) : null;
	return <CsvButton size="sm" label="Demand for GPUs as CSV" fileName={`spillway-demand-${range}.csv`} text={text} />;
}
