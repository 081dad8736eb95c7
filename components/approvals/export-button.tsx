"use client";
import { useQuery } from "@tanstack/react-query";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { approvalsCsv } from "./export-csv.ts";
import { type ApprovalsView, approvalsQuery } from "./params.ts";

/** Exports the approvals in the current view. */
export function ApprovalsExport({ view }: { view: ApprovalsView }) {
	const trpc = useTRPC();
	const { data } = useQuery(trpc.approval.list.queryOptions(approvalsQuery(view)));
	const text = data && data.items.length > 0 ? () => approvalsCsv(data.items) : null;
	return <CsvButton size="sm" label="Approvals as CSV" fileName={`spillway-approvals-${view}.csv`} text={text} />;
}
