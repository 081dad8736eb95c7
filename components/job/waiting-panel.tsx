"use client";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { jobSectionHref } from "./sections.ts";
import { WaitingChanges } from "./waiting-changes.tsx";

/** Why a queued job waits, its position, and what would start it. */
export function WaitingPanel({ job }: { job: JobDetail }) {
	return (
		<Panel
			title={job.state === "held" ? "Held" : "Waiting"}
			actions={
				<ButtonLink size="sm" href={jobSectionHref(job.id, "decision")}>
					Decision
				</ButtonLink>
			}
		>
			<WaitingChanges job={job} lead />
		</Panel>
	);
}
