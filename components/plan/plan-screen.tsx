"use client";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { describeError } from "#components/page/error-boundary.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { EmptyState, ErrorState } from "#components/page/states.tsx";
import { isPending, type Study } from "#components/plan/format-plan.ts";
import { StudyControls } from "#components/plan/study-controls.tsx";
import { StudyView } from "#components/plan/study-view.tsx";
import { useTime } from "#components/time/clock.tsx";
import { timeLeft } from "#components/time/time-left.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";

const POLL_MS = 1_000;

/** The business case. The shown study is in the URL as `study`; the default is the newest. */
export function PlanScreen() {
	const trpc = useTRPC();
	const [chosen] = useQueryState("study", parseAsString);
	const list = useQuery(trpc.plan.list.queryOptions({ limit: 20 }));
	const id = chosen ?? list.data?.[0]?.id ?? null;
	const got = useQuery({
		...trpc.plan.get.queryOptions({ id: id ?? "" }),
		enabled: id !== null,
		refetchInterval: ({ state }) => (isPending(state.data) ? POLL_MS : false),
	});
	const error = list.error ?? got.error;
	const study = got.data ?? null;
	return (
		<>
			<PageHeader
				title="Plan"
				actions={
					<>
						<StudyControls studies={list.data ?? []} shown={study} />
						{study?.result && (
							<ButtonLink variant="primary" className="print:hidden" href={`/plan/decisions/${encodeURIComponent(study.id)}`}>
								Decision
							</ButtonLink>
						)}
					</>
				}
			/>
			<PageBody>
				{error ? (
					<Panel>
						<ErrorState title="Could not load the study" detail={describeError(error).detail} onRetry={() => void got.refetch()} />
					</Panel>
				) : (
					<Course study={study} loading={list.isLoading || got.isLoading} />
				)}
			</PageBody>
		</>
	);
}

function Course({ study, loading }: { study: Study | null; loading: boolean }) {
	if (loading)
		return (
			<Panel>
				<TextSkeleton lines={6} label="Loading the study" className="py-5" />
			</Panel>
		);
	if (!study)
		return (
			<Panel>
				<EmptyState icon="plan" title="No study yet">
					Study your own records, or upload a trace (sacct, Slurm or Kubernetes JSON, CSV). The replay compares bursting, buying and cloud
					only.
				</EmptyState>
			</Panel>
		);
	if (isPending(study)) return <Progress study={study} />;
	if (study.result) return <StudyView studyId={study.id} result={study.result} />;
	return (
		<Panel>
			{study.state === "cancelled" ? (
				<EmptyState icon="plan" title="Canceled">
					Start another study to compare options.
				</EmptyState>
			) : (
				<ErrorState title="Study failed" detail={study.error ?? "No reason recorded."} />
			)}
		</Panel>
	);
}

function Progress({ study }: { study: Study }) {
	const percent = Math.floor(study.progressPermille / 10);
	const { startedAt, progressPermille } = study;
	const left = useTime((now) => (startedAt === null ? null : timeLeft(progressPermille / 1_000, now - Date.parse(startedAt))));
	const step =
		study.state === "queued"
			? "Queued for the scheduler."
			: percent < 10
				? "Reading history."
				: `Replaying options: ${[`${percent}%`, left].filter(Boolean).join(", ")}.`;
	return (
		<Panel title={study.name}>
			<div className="grid gap-2 px-4 pb-4">
				<progress value={percent} max={100} aria-label="Study progress" className="h-2 w-full accent-(--accent)" />
				<p role="status" className="tabular text-ink-2">
					{step}
				</p>
			</div>
		</Panel>
	);
}
