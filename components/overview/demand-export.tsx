"use client";
import { useQuery } from "@tanstack/react-query";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { demandCsv } from "./export-csv.ts";
import { type Demand, hasDemand } from "./prepare-demand.ts";
import { type DemandRange, type DemandView, demandQuery } from "./range.ts";
import { useDemandMarks } from "./use-demand-marks.ts";

/** Exports the demand chart's data, with its events unless they are hidden. */
export function DemandExport({ range, hide }: DemandView) {
	const trpc = useTRPC();
	const { data } = useQuery(trpc.overview.demand.queryOptions(demandQuery(range)));
	if (!data || !hasDemand(data)) return <DemandCsv range={range} text={null} />;
	return <DemandWithMarks range={range} hide={hide ?? null} demand={data} />;
}

function DemandWithMarks({ range, hide, demand }: DemandView & { demand: Demand }) {
	const marks = useDemandMarks(demand);
	return <DemandCsv range={range} text={() => demandCsv(demand, hide?.includes("events") ? [] : marks)} />;
}

function DemandCsv({ range, text }: { range: DemandRange; text: (() => string) | null }) {
	return <CsvButton size="sm" label="GPU demand as CSV" fileName={`spillway-demand-${range}.csv`} text={text} />;
}
