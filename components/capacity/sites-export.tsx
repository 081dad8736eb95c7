"use client";
import { useQuery } from "@tanstack/react-query";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { sitesCsv } from "./export-csv.ts";

/** Exports sites with their pools and regions. */
export function SitesExport() {
	const { data: sites } = useQuery(useTRPC().site.list.queryOptions());
	const text = sites && sites.length > 0 ? () => sitesCsv(sites) : null;
	return <CsvButton size="sm" label="Sites and pools as CSV" fileName="spillway-sites.csv" text={text} />;
}
