"use client";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { Forbidden } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import type { Check } from "./check-draft.ts";
import { SubmitWorkbench } from "./submit-workbench.tsx";
import type { JobTemplate } from "./templates.ts";

type SubmitScreenProps = {
	/** Null for people whose role submits nothing. */
	job: { initial: { text: string; check: Check }; teams: readonly string[]; templates: readonly JobTemplate[]; note: string | null } | null;
};

export function SubmitScreen({ job }: SubmitScreenProps) {
	return (
		<>
			<PageHeader
				crumbs={[{ label: "Jobs", href: "/jobs" }]}
				title="New job"
				meta={job?.note && <span className="truncate text-ink-3 max-md:hidden">{job.note}</span>}
			/>
			<PageBody>
				{job ? (
					<PanelGate
						what="The form"
						fallback={
							<Panel title="Job">
								<TextSkeleton lines={10} label="Loading the form" />
							</Panel>
						}
					>
						<SubmitWorkbench initial={job.initial} teams={job.teams} templates={job.templates} />
					</PanelGate>
				) : (
					<Panel>
						<Forbidden
							what="Jobs"
							who="data scientists and platform engineers"
							detail="Here it means to submit them; you may see them all."
							action={{ label: "Go to the jobs", href: "/jobs" }}
						/>
					</Panel>
				)}
			</PageBody>
		</>
	);
}
