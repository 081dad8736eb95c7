"use client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { jobsCsv, saveCsv, spendCsv } from "#components/spend/export-csv.ts";
import { jobPages } from "#components/spend/pages.ts";
import { prepareSpendTable } from "#components/spend/prepare-table.ts";
import { useHour } from "#components/spend/use-spend.ts";
import { BY_LABEL, bucketOfView, datesOfView, type SpendView, spendQuery } from "#components/spend/view.ts";
import { useTRPC, useTRPCClient } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";

/** Hands out the table that is on the screen, as a file. */
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
	const hydrated = useHydrated();
	const ready = hydrated && (byJob ? jobs !== undefined : page !== undefined);
	const save = () => {
		const { from, to } = datesOfView(view, hour);
		const [first] = jobs?.pages ?? [];
		const text =
			byJob && jobs && first
				? jobsCsv(
						jobs.pages.flatMap((p) => p.items),
						first,
					)
				: page && spendCsv(prepareSpendTable(page, { view, bucket: bucketOfView(view, hour), range: input }), BY_LABEL[view.by], input);
		if (text) saveCsv(`spillway-spend-by-${view.by}-${from}-to-${to}.csv`, text);
	};
	return (
		<Button icon="download" onClick={save} disabled={!ready}>
			<span className="max-md:hidden">Export as shown</span>
			<span className="md:hidden">CSV</span>
		</Button>
	);
}
