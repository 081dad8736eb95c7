"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { StateGlyph } from "#components/job-state/state-mark.tsx";
import { canHold, isHeldByPerson, isStuck } from "#components/jobs/actionable.ts";
import { shownState } from "#components/jobs/cells.tsx";
import { compareHref } from "#components/jobs/compare-link.ts";
import { useJobActions } from "#components/jobs/use-job-actions.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { PageHeader } from "#components/page/page-header.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { CopyId } from "#components/ui/copy-id.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { notify } from "#components/ui/toast.tsx";
import { canMove, MoveJob } from "./job-move.tsx";
import { useMaySubmit, useNowFor, useOutlook } from "./use-job.ts";

export function JobHeader({ job }: { job: JobDetail }) {
	const maySubmit = useMaySubmit();
	const state = shownState(job);
	return (
		<PageHeader
			crumbs={[{ label: "Jobs", href: "/jobs" }]}
			title={job.name}
			meta={
				<>
					<Chip className="flex-none">
						<Glyph job={job} />
						<span role="status">{state}</span>
					</Chip>
					<CopyId value={job.id} short={`${job.id.slice(0, 8)}…${job.id.slice(-4)}`} className="max-md:hidden" />
				</>
			}
			actions={
				<>
					<ButtonLink href={compareHref(job.id)} className="max-md:hidden">
						Compare
					</ButtonLink>
					{maySubmit && (
						<>
							<ButtonLink href={`/jobs/new?from=${job.id}`} className="max-md:hidden">
								{job.state === "failed" ? "Retry" : "Clone job"}
							</ButtonLink>
							{isStuck(job) && <ResumeJob job={job} />}
							<HoldJob job={job} />
							{canMove(job) && <MoveJob job={job} />}
							{job.finishedAt === null && <CancelJob job={job} />}
						</>
					)}
				</>
			}
		/>
	);
}

function Glyph({ job }: { job: JobDetail }) {
	const { progress } = useOutlook(job, useNowFor(job));
	return <StateGlyph state={shownState(job)} progress={progress} />;
}

/** Hold or Release, whichever applies to a waiting job. */
function HoldJob({ job }: { job: JobDetail }) {
	const { act, pending } = useJobActions();
	const action = isHeldByPerson(job) ? "release" : canHold(job) ? "hold" : null;
	if (action === null) return null;
	return (
		<Button busy={pending} onClick={() => void act({ action, ids: [job.id] })}>
			{action === "hold" ? "Hold" : "Release"}
		</Button>
	);
}

function ResumeJob({ job }: { job: JobDetail }) {
	const trpc = useTRPC();
	const resume = useMutation(
		trpc.job.resume.mutationOptions({
			onSuccess: () => notify({ tone: "done", title: `${job.name} resumed` }),
			onError: (error) => notify({ tone: "failed", title: `Could not resume ${job.name}`, detail: describeError(error).detail }),
		}),
	);
	return (
		<Button busy={resume.isPending} onClick={() => resume.mutate({ id: job.id })}>
			Resume
		</Button>
	);
}

function CancelJob({ job }: { job: JobDetail }) {
	const trpc = useTRPC();
	const [asking, setAsking] = useState(false);
	const cancel = useMutation(
		trpc.job.cancel.mutationOptions({
			onSuccess: ({ state }) =>
				notify({
					tone: "done",
					title: state === "cancelled" ? `${job.name} cancelled` : `Stopping ${job.name}`,
					...(state === "cancelled" ? {} : { detail: "It can save a checkpoint, then its machine is released." }),
				}),
			onError: (error) => notify({ tone: "failed", title: `Could not cancel ${job.name}`, detail: describeError(error).detail }),
			onSettled: () => setAsking(false),
		}),
	);
	if (job.cancelRequestedAt !== null) {
		return (
			<Button variant="danger" disabled>
				Stopping…
			</Button>
		);
	}
	const running = job.attemptList.some((a) => a.finishedAt === null);
	return (
		<>
			<Button variant="danger" onClick={() => setAsking(true)}>
				Cancel<span className="max-md:hidden"> job</span>
			</Button>
			<Dialog
				open={asking}
				onClose={() => setAsking(false)}
				title={`Cancel ${job.name}?`}
				description={
					running
						? "It can save a checkpoint, then its machine is released. Costs so far remain."
						: "It is queued and stops immediately. This attempt has cost nothing."
				}
				actions={
					<>
						<Button onClick={() => setAsking(false)}>Keep</Button>
						<Button variant="danger" busy={cancel.isPending} onClick={() => cancel.mutate({ id: job.id })}>
							Cancel job
						</Button>
					</>
				}
			/>
		</>
	);
}
