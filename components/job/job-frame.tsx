"use client";
import { useSelectedLayoutSegment } from "next/navigation";
import type { ReactNode } from "react";
import { PageBody } from "#components/page/page-header.tsx";
import { TabLinks } from "#components/ui/tabs.tsx";
import { JobHeader } from "./job-header.tsx";
import { JobStatusBar } from "./job-status-bar.tsx";
import { JOB_SECTIONS, jobSectionHref } from "./sections.ts";
import { useJob } from "./use-job.ts";

/** Sticky header with status and sections; the section is below. */
export function JobFrame({ id, children }: { id: string; children: ReactNode }) {
	const job = useJob(id);
	const section = useSelectedLayoutSegment() ?? "overview";
	return (
		<>
			<JobHeader job={job} />
			<div className="sticky top-(--header-h) z-20 border-b bg-bg print:static">
				<TabLinks
					edge
					label="Job sections"
					current={section}
					className="border-b-0"
					tabs={JOB_SECTIONS.map((s) => ({ id: s.id, label: s.label, href: jobSectionHref(id, s.id) }))}
					end={<JobStatusBar job={job} />}
				/>
			</div>
			<PageBody>{children}</PageBody>
		</>
	);
}
