"use client";
import type { ReactNode } from "react";
import { SuggestionText } from "#components/submit/quote-suggestions.tsx";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { useAwaitedQuery } from "#components/trpc/queries.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { waitingChanges } from "#server/domain/waiting-changes.ts";
import { CandidateTable } from "../decision/candidate-table.tsx";
import { type Considered, decisionRows } from "../decision/decision-rows.ts";
import { LeadReason, ReasonText, screenFormatters } from "../job-state/reason-text.tsx";
import { WaitingFacts } from "./waiting-facts.tsx";

/** Queue and prices change over time. */
const AGAIN_MS = 15_000;

/**
 * The current reason of a queued job and its possible remedies. `lead`: without a decision, this reason is the panel's
 * headline instead of a second line.
 */
export function WaitingChanges({ job, lead = false }: { job: JobDetail; lead?: boolean }) {
	const trpc = useTRPC();
	const { data } = useAwaitedQuery(trpc.job.waiting.queryOptions({ id: job.id }, { refetchInterval: AGAIN_MS }));
	const reason = data?.reason ?? job.reason;
	const changes = useTime((now) =>
		waitingChanges(reason, screenFormatters(now))
			.map((c) => c.sentence)
			.join("\n"),
	);
	if (!data?.waits) return lead ? <LeadReason reason={job.reason} /> : null;
	return (
		<>
			{lead && <LeadReason reason={reason} />}
			<WaitingFacts position={data.position} considered={data.considered} />
			<div className={cn("grid gap-3 px-4", lead ? "py-1.5" : "border-t py-3.5")}>
				{!lead && (
					<p className="max-w-[92ch] text-pretty text-ink-2">
						<b className="font-strong text-ink">Current status:</b> <ReasonText reason={reason} />
					</p>
				)}
				{changes !== "" && (
					<Changes title="Options">
						{changes.split("\n").map((sentence) => (
							<li key={sentence} suppressHydrationWarning>
								{sentence}
							</li>
						))}
					</Changes>
				)}
				{data.suggestions.length > 0 && (
					<Changes title="Clone with one change" action={<ButtonLink href={`/jobs/new?from=${job.id}`}>Clone job</ButtonLink>}>
						{data.suggestions.map((s) => (
							<li key={JSON.stringify(s.change)}>
								<SuggestionText suggestion={s} />
							</li>
						))}
					</Changes>
				)}
			</div>
			{lead && data.considered && data.considered.consideredCount > 0 && <Candidates considered={data.considered} job={job} />}
		</>
	);
}

/** The candidates of a queued job as of now, before any decision placed it. */
function Candidates({ considered, job }: { considered: Considered; job: JobDetail }) {
	return (
		<section aria-label="Candidates now" className="border-t">
			<h3 className="px-4 py-2 text-xs font-strong text-ink-3">
				Candidates now ({considered.consideredCount.toLocaleString("en-US")}), by rank. ≈ marks estimates.
			</h3>
			<CandidateTable
				rows={decisionRows(considered)}
				gpus={job.gpus}
				deadlineMs={job.deadlineAt === null ? null : Date.parse(job.deadlineAt)}
			/>
		</section>
	);
}

function Changes({ title, action = null, children }: { title: string; action?: ReactNode; children: ReactNode }) {
	return (
		<section>
			<div className="mb-1 flex flex-wrap items-center justify-between gap-2">
				<h3 className="text-xs font-strong text-ink-3">{title}</h3>
				{action}
			</div>
			<ul className="grid max-w-[92ch] list-disc gap-1 pl-4.5 text-pretty text-ink-2 marker:text-ink-3">{children}</ul>
		</section>
	);
}
