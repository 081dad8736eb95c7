/** The sections of a job page. Each has its own URL below the job's. */
export const JOB_SECTIONS = [
	{ id: "overview", label: "Overview", path: "" },
	{ id: "logs", label: "Logs", path: "/logs" },
	{ id: "decision", label: "Decision", path: "/decision" },
	{ id: "cost", label: "Cost", path: "/cost" },
	{ id: "metrics", label: "Metrics", path: "/metrics" },
	{ id: "files", label: "Files", path: "/files" },
] as const;

export type JobSection = (typeof JOB_SECTIONS)[number]["id"];

export function jobSectionHref(jobId: string, section: JobSection): string {
	return `/jobs/${jobId}${JOB_SECTIONS.find(({ id }) => id === section)?.path ?? ""}`;
}
