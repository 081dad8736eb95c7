"use client";
import { useState } from "react";
import { MoveDialog } from "#components/jobs/move-dialog.tsx";
import { useJobActions } from "#components/jobs/use-job-actions.ts";
import { formatShort } from "#components/time/format-time.ts";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { liveAttempt } from "./outlook.ts";
import { useMaySubmit, useNowFor } from "./use-job.ts";

/** Whether a person can have it continue elsewhere now. */
export function canMove(job: JobDetail): boolean {
	const live = liveAttempt(job);
	return live !== null && live.stopRequestedAt === null && live.move === null && job.spec.checkpoint !== null && !job.cancelRequestedAt;
}

export function MoveJob({ job }: { job: JobDetail }) {
	const [asking, setAsking] = useState(false);
	const { act, pending } = useJobActions();
	const owned = liveAttempt(job)?.placement.poolId !== null;
	return (
		<>
			<Button className="max-md:hidden" onClick={() => setAsking(true)}>
				Move
			</Button>
			{asking && (
				<MoveDialog
					title={`Move ${job.name}`}
					first={owned ? "cloud" : "home"}
					pending={pending}
					onClose={() => setAsking(false)}
					onMove={async (to) => {
						await act({ action: "move", ids: [job.id], to });
						setAsking(false);
					}}
				/>
			)}
		</>
	);
}

const DESTINATION = { home: "owned GPUs", cloud: "the cloud" } as const;

/** A move that is requested or planned; nothing otherwise. */
export function JobMove({ job }: { job: JobDetail }) {
	const { act, pending } = useJobActions();
	const nowMs = useNowFor(job);
	const maySubmit = useMaySubmit();
	const move = liveAttempt(job)?.move ?? null;
	if (move === null) return null;
	const { to, requestedBy, at } = move;
	return (
		<Panel
			title={`Moving to ${DESTINATION[to]}`}
			sub={requestedBy === null ? "decided by the scheduler" : `requested by ${requestedBy}`}
			actions={
				at === null &&
				maySubmit && (
					<Button busy={pending} onClick={() => void act({ action: "stay", ids: [job.id] })}>
						Stay here
					</Button>
				)
			}
			padded
		>
			<p className="text-ink-2" suppressHydrationWarning>
				{at === null
					? "No place there is free and allowed yet. The job keeps running here until there is one."
					: `Stops at ${formatShort(Date.parse(at), nowMs)} and continues there from its checkpoint.`}
			</p>
		</Panel>
	);
}
