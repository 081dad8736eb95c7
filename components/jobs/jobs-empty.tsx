"use client";
import { EmptyState, NoResults } from "#components/page/states.tsx";
import type { JobViewName } from "./search-params.ts";

const EMPTY: Record<JobViewName, { title: string; text: string }> = {
	active: {
		title: "Nothing runs, waits or has ended today",
		text: "A job that is submitted stands here at once, with the forecast of its start.",
	},
	cloud: {
		title: "Nothing is in the cloud now",
		text: "Jobs go there when the policy says so: when they would wait too long at home, or miss their deadline.",
	},
	failed: { title: "No job has failed this week", text: "What fails stands here with the reason, since Monday, 00:00 UTC." },
	all: {
		title: "No jobs yet",
		text: "Jobs that run, wait or have ended stand here. Submit the first by form, with the command line, or by REST.",
	},
};

export function JobsEmpty({
	view,
	filtered,
	onClear,
	maySubmit,
}: {
	view: JobViewName;
	filtered: boolean;
	onClear: () => void;
	maySubmit: boolean;
}) {
	if (filtered) {
		return (
			<NoResults what="jobs" onClear={onClear}>
				The search covers names and ids. {view !== "all" && "Jobs that ended earlier are under All."}
			</NoResults>
		);
	}
	const { title, text } = EMPTY[view];
	return (
		<EmptyState
			title={title}
			{...(maySubmit && (view === "active" || view === "all") ? { action: { label: "Submit a job", href: "/jobs/new" } } : {})}
		>
			{text}
		</EmptyState>
	);
}
