"use client";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { plural } from "#server/domain/sentence-facts.ts";
import { LeadReason, ReasonText } from "../job-state/reason-text.tsx";
import { HomeComparison } from "./home-comparison.tsx";
import { jobSectionHref } from "./sections.ts";

/** The latest decision in one sentence, with a link to its candidates. */
export function DecisionSummary({ job }: { job: JobDetail }) {
	const { data: decisions } = useSuspenseQuery(useTRPC().job.decisions.queryOptions({ id: job.id }));
	const latest = decisions[0];
	return (
		<Panel
			title="Decision"
			actions={
				latest && (
					<ButtonLink size="sm" href={jobSectionHref(job.id, "decision")}>
						{plural(latest.consideredCount, "candidate")}
					</ButtonLink>
				)
			}
		>
			{latest ? (
				<p className="max-w-[92ch] px-4 pb-4 text-md text-pretty text-ink-2 [&_b]:text-ink">
					<ReasonText reason={latest.reason} />{" "}
					<HomeComparison decision={latest} deadlineMs={job.deadlineAt === null ? null : Date.parse(job.deadlineAt)} />
				</p>
			) : (
				<LeadReason reason={job.reason} />
			)}
		</Panel>
	);
}
