"use client";
import { EmptyState, NoResults } from "#components/page/states.tsx";
import type { JobViewName } from "./search-params.ts";

const EMPTY: Record<JobViewName, { title: string; text: string }> = {
	active: {
		title: "No jobs active or ended today",
		text: "New jobs appear here with their forecast start.",
	},
	cloud: {
		title: "No jobs in the cloud",
		text: "Jobs burst when policy allows: for long waits or deadlines at risk.",
	},
	failed: { title: "No failed jobs this week", text: "Failed jobs since Monday, 00:00 UTC, appear here." },
	all: {
		title: "No jobs yet",
		text: "Submit the first job by form, CLI or REST.",
	},
};

export function JobsEmpty({
	view,
	filtered,
	searched,
	onClear,
	maySubmit,
}: {
	view: JobViewName;
	filtered: boolean;
	/** A search text is set; matches in other views have their own link. */
	searched: boolean;
	onClear: () => void;
	maySubmit: boolean;
}) {
	if (filtered) {
		return (
			<NoResults what="jobs" onClear={onClear}>
				{searched ? "Search covers names and IDs." : view !== "all" && "Older jobs are in All."}
			</NoResults>
		);
	}
	const { title, text } = EMPTY[view];
	return (
		<EmptyState
			title={title}
			{...(maySubmit && (view === "active" || view === "all") ? { action: { label: "Submit job", href: "/jobs/new" } } : {})}
		>
			{text}
		</EmptyState>
	);
}
