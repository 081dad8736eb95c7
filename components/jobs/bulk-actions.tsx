"use client";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { BulkBar, BulkButton } from "#components/data-table/bulk-bar.tsx";
import { compareHref } from "#components/jobs/compare-link.ts";
import { Money } from "#components/money/money.tsx";
import type { JobView } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { startHere } from "#components/ui/show-modal.ts";
import { countJobs } from "./action-results.ts";
import { canHold, isHeldByPerson, isLive, isStuck, isWaiting } from "./actionable.ts";
import { MoveDialog } from "./move-dialog.tsx";
import { useJobActions } from "./use-job-actions.ts";

const NAMES_SHOWN = 8;
const PRIORITY_ID = "bulk-priority";

const ids = (jobs: readonly JobView[]) => jobs.map(({ id }) => id);

/** The selected jobs to which each action applies. */
function actionable(selected: readonly JobView[]) {
	return {
		live: selected.filter(isLive),
		waiting: selected.filter(isWaiting),
		free: selected.filter(canHold),
		paused: selected.filter(isHeldByPerson),
		running: selected.filter((job) => isLive(job) && job.state === "running"),
		stuck: selected.filter(isStuck),
		ended: selected.filter((job) => job.state === "failed" || job.state === "cancelled"),
	};
}

/** Bulk actions for the selected jobs. Each button counts the jobs that it changes. */
export function BulkActions({ selected, onClear }: { selected: readonly JobView[]; onClear: () => void }) {
	const [asking, setAsking] = useState<"cancel" | "move" | "priority" | null>(null);
	const { act, pending } = useJobActions();
	const router = useRouter();
	const [a, b] = selected;
	const { live, waiting, free, paused, running, stuck, ended } = actionable(selected);
	const gpus = selected.reduce((sum, job) => sum + job.gpus, 0);
	const run = async (input: Parameters<typeof act>[0]) => {
		if (!(await act(input))) return;
		setAsking(null);
		onClear();
	};
	return (
		<>
			<BulkBar count={selected.length} facts={`${gpus.toLocaleString("en-US")} GPUs`} onClear={onClear}>
				{a && b && selected.length === 2 && <BulkButton onClick={() => router.push(compareHref(a.id, b.id))}>Compare</BulkButton>}
				{waiting.length > 0 && <BulkButton onClick={() => setAsking("priority")}>Set priority</BulkButton>}
				{free.length > 0 && (
					<BulkButton disabled={pending} onClick={() => void run({ action: "hold", ids: ids(free) })}>
						Hold {countJobs(free.length)}
					</BulkButton>
				)}
				{paused.length > 0 && (
					<BulkButton disabled={pending} onClick={() => void run({ action: "release", ids: ids(paused) })}>
						Release {countJobs(paused.length)}
					</BulkButton>
				)}
				{stuck.length > 0 && (
					<BulkButton disabled={pending} onClick={() => void run({ action: "resume", ids: ids(stuck) })}>
						Resume {countJobs(stuck.length)}
					</BulkButton>
				)}
				{running.length > 0 && <BulkButton onClick={() => setAsking("move")}>Move {countJobs(running.length)}</BulkButton>}
				{ended.length > 0 && (
					<BulkButton disabled={pending} onClick={() => void run({ action: "retry", ids: ids(ended) })}>
						Retry {countJobs(ended.length)}
					</BulkButton>
				)}
				{live.length > 0 && <BulkButton onClick={() => setAsking("cancel")}>Cancel {countJobs(live.length)}</BulkButton>}
				{live.length + ended.length === 0 && selected.length !== 2 && <span className="px-2">No actions for these jobs</span>}
			</BulkBar>
			{asking === "cancel" && (
				<CancelDialog
					jobs={live}
					pending={pending}
					onClose={() => setAsking(null)}
					onConfirm={() => void run({ action: "cancel", ids: ids(live) })}
				/>
			)}
			{asking === "move" && (
				<MoveDialog
					title={`Move ${countJobs(running.length)}`}
					first={running.some(({ placement }) => placement?.poolId === null) ? "home" : "cloud"}
					pending={pending}
					onClose={() => setAsking(null)}
					onMove={(to) => void run({ action: "move", ids: ids(running), to })}
				/>
			)}
			{asking === "priority" && (
				<PriorityDialog
					jobs={waiting}
					pending={pending}
					onClose={() => setAsking(null)}
					onConfirm={(priority) => void run({ action: "set_priority", ids: ids(waiting), priority })}
				/>
			)}
		</>
	);
}

type DialogProps = { jobs: readonly JobView[]; pending: boolean; onClose: () => void };

function CancelDialog({ jobs, pending, onClose, onConfirm }: DialogProps & { onConfirm: () => void }) {
	const cost = jobs.reduce((sum, job) => sum + BigInt(job.costMicroUsd), 0n);
	return (
		<Dialog
			open
			onClose={onClose}
			title={`Cancel ${countJobs(jobs.length)}?`}
			description={
				<>
					<Money value={cost} /> spent so far. Queued jobs stop immediately; running jobs can save a checkpoint. This cannot be undone.
				</>
			}
			actions={
				<>
					<Button onClick={onClose}>Keep</Button>
					<Button variant="danger" busy={pending} onClick={onConfirm}>
						Cancel {countJobs(jobs.length)}
					</Button>
				</>
			}
		>
			<JobNames jobs={jobs} note={(job) => job.state} />
		</Dialog>
	);
}

function PriorityDialog({ jobs, pending, onClose, onConfirm }: DialogProps & { onConfirm: (priority: number) => void }) {
	const [first] = jobs;
	const [text, setText] = useState(first && jobs.every((job) => job.priority === first.priority) ? String(first.priority) : "");
	const priority = /^\d{1,3}$/.test(text.trim()) && Number(text) <= 100 ? Number(text) : null;
	return (
		<Dialog
			open
			onClose={onClose}
			title={`Set priority of ${countJobs(jobs.length)}`}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" type="submit" form={`${PRIORITY_ID}-form`} busy={pending} disabled={priority === null}>
						Set priority
					</Button>
				</>
			}
		>
			<form
				id={`${PRIORITY_ID}-form`}
				className="grid gap-3"
				onSubmit={(event) => {
					event.preventDefault();
					if (priority !== null) onConfirm(priority);
				}}
			>
				<Field label="Priority" htmlFor={PRIORITY_ID} hint="0 to 100; higher starts first">
					<Input
						ref={startHere}
						id={PRIORITY_ID}
						aria-describedby={`${PRIORITY_ID}-note`}
						inputMode="numeric"
						autoComplete="off"
						value={text}
						onChange={(event) => setText(event.currentTarget.value)}
						className="max-w-28"
					/>
				</Field>
				<JobNames jobs={jobs} note={(job) => `now ${job.priority}`} />
			</form>
		</Dialog>
	);
}

function JobNames({ jobs, note }: { jobs: readonly JobView[]; note: (job: JobView) => ReactNode }) {
	return (
		<ul className="grid gap-0.5 text-ink-2">
			{jobs.slice(0, NAMES_SHOWN).map((job) => (
				<li key={job.id} className="flex justify-between gap-3">
					<span className="truncate font-strong text-ink">{job.name}</span>
					<span className="text-ink-3">{note(job)}</span>
				</li>
			))}
			{jobs.length > NAMES_SHOWN && <li className="text-ink-3">and {jobs.length - NAMES_SHOWN} more</li>}
		</ul>
	);
}
