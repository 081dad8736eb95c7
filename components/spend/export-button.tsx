"use client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { jobsCsv, spendCsv } from "#components/spend/export-csv.ts";
import { jobPages } from "#components/spend/pages.ts";
import { prepareSpendTable } from "#components/spend/prepare-table.ts";
import { useHour } from "#components/spend/use-spend.ts";
import { BY_LABEL, bucketOfView, datesOfView, type SpendView, spendQuery } from "#components/spend/view.ts";
import { useTRPC, useTRPCClient } from "#components/trpc/client.tsx";

/** Exports the table as shown. */
export function ExportButton({ view }: { view: SpendView }) {
	const trpc = useTRPC();
	const client = useTRPCClient();
	const hour = useHour();
	const input = spendQuery(view, hour);
	const byJob = view.by === "job";
	const { data: page } = useQuery(trpc.spend.page.queryOptions(input));
	const { data: jobs } = useInfiniteQuery({
		...jobPages(trpc.spend.jobs.pathKey(), view, hour, (input) => client.spend.jobs.query(input)),
		enabled: byJob,
	});
	const { from, to } = datesOfView(view, hour);
	return <CsvButton fileName={`spillway-spend-by-${view.by}-${from}-to-${to}.csv`} text={textOf()} />;

	function textOf(): (() => string) | null {
		if (!byJob) return page ? () => spendCsv(tableOf(page), BY_LABEL[view.by], input) : null;
		const [first] = jobs?.pages ?? [];
		const items = jobs?.pages.flatMap((p) => p.items) ?? [];
		return first ? () => jobsCsv(items, first) : null;
	}

	function tableOf(of: NonNullable<typeof page>) {
		return prepareSpendTable(of, { view, bucket: bucketOfView(view, hour), range: input });
	}
}
