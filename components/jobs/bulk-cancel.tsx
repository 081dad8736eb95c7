"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { BulkBar, BulkButton } from "#components/data-table/bulk-bar.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobView } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Jobs per parallel batch, to keep requests short. */
const AT_ONCE = 20;
const NAMES_SHOWN = 8;

export const jobs = (count: number) => `${count.toLocaleString("en-US")} ${count === 1 ? "job" : "jobs"}`;

/** Bulk actions for selected jobs; ended jobs are skipped. */
export function BulkCancel({ selected, onClear }: { selected: readonly JobView[]; onClear: () => void }) {
	const [asking, setAsking] = useState(false);
	const { cancelAll, pending } = useCancelAll();
	const live = selected.filter((job) => job.finishedAt === null && job.cancelRequestedAt === null);
	const gpus = selected.reduce((sum, job) => sum + job.gpus, 0);
	const confirm = async () => {
		await cancelAll(live);
		setAsking(false);
		onClear();
	};
	return (
		<>
			<BulkBar count={selected.length} facts={`${gpus.toLocaleString("en-US")} GPUs`} onClear={onClear}>
				<BulkButton disabled={live.length === 0} onClick={() => setAsking(true)}>
					{live.length === 0 ? "All ended" : `Cancel ${jobs(live.length)}`}
				</BulkButton>
			</BulkBar>
			<Dialog
				open={asking}
				onClose={() => setAsking(false)}
				title={`Cancel ${jobs(live.length)}?`}
				description="Queued jobs stop immediately. Running jobs can save a checkpoint, then their machines are released."
				actions={
					<>
						<Button onClick={() => setAsking(false)}>Keep</Button>
						<Button variant="danger" busy={pending} onClick={() => void confirm()}>
							Cancel {jobs(live.length)}
						</Button>
					</>
				}
			>
				<ul className="grid gap-0.5 text-ink-2">
					{live.slice(0, NAMES_SHOWN).map((job) => (
						<li key={job.id} className="flex justify-between gap-3">
							<span className="truncate font-strong text-ink">{job.name}</span>
							<span className="text-ink-3">{job.state}</span>
						</li>
					))}
					{live.length > NAMES_SHOWN && <li className="text-ink-3">and {live.length - NAMES_SHOWN} more</li>}
				</ul>
			</Dialog>
		</>
	);
}

function useCancelAll() {
	const trpc = useTRPC();
	const cancel = useMutation(trpc.job.cancel.mutationOptions());
	const [pending, setPending] = useState(false);
	const cancelAll = async (chosen: readonly JobView[]) => {
		setPending(true);
		const failures: string[] = [];
		for (let from = 0; from < chosen.length; from += AT_ONCE) {
			const part = chosen.slice(from, from + AT_ONCE);
			const results = await Promise.allSettled(part.map((job) => cancel.mutateAsync({ id: job.id })));
			for (const result of results) if (result.status === "rejected") failures.push(describeError(result.reason).detail);
		}
		setPending(false);
		const done = chosen.length - failures.length;
		if (done > 0) notify({ tone: "done", title: `${jobs(done)} cancelled` });
		if (failures[0]) notify({ tone: "failed", title: `Could not cancel ${jobs(failures.length)}`, detail: failures[0] });
	};
	return { cancelAll, pending };
}
