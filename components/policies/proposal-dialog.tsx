"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { Figures } from "#components/policies/backtest/figures.tsx";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { notify } from "#components/ui/toast.tsx";
import { DiffView } from "./diff-view.tsx";

export type PolicyProposal = Outputs["policy"]["proposals"][number];
type ProposalDialogProps = { proposal: PolicyProposal; canDecide: boolean; onClose: () => void };

/** A proposed policy change with its diff and reviewed backtest, to approve or reject. */
export function ProposalDialog({ proposal: p, canDecide, onClose }: ProposalDialogProps) {
	const { approve, reject } = useDecision(onClose);
	const busy = approve.isPending || reject.isPending;
	const error = approve.error ?? reject.error;
	return (
		<Dialog
			open
			onClose={onClose}
			title={p.rollbackTo === null ? `Proposed change to version ${p.policyVersion}` : `Proposed rollback to version ${p.rollbackTo}`}
			description={`${p.mine ? "You" : p.proposedBy}: ${p.message}`}
			className="max-w-190"
			actions={
				canDecide &&
				p.decision === null && (
					<>
						<Button className="max-md:h-11!" busy={busy} onClick={() => reject.mutate({ id: p.id })}>
							{p.mine ? "Withdraw" : "Reject"}
						</Button>
						{!p.mine && !p.stale && (
							<Button variant="primary" className="max-md:h-11!" busy={busy} onClick={() => approve.mutate({ id: p.id })}>
								Approve
							</Button>
						)}
					</>
				)
			}
		>
			<div className="grid gap-3">
				{error && (
					<p role="alert" className="text-risk-ink">
						{describeError(error).detail}
					</p>
				)}
				<p className="text-ink-3">{standing(p, canDecide)}</p>
				<Changed proposal={p} />
				<Seen backtestId={p.backtestId} noBacktestReason={p.noBacktestReason} canRead={canDecide} />
			</div>
		</Dialog>
	);
}

/** The next step. */
function standing({ decision, decidedBy, mine, stale, policyVersion }: PolicyProposal, canDecide: boolean): string {
	if (decision !== null)
		return `${decision === "withdrawn" ? "Withdrawn" : decision === "approved" ? "Approved" : "Rejected"} by ${decidedBy ?? "no one"}.`;
	if (stale) return `Its base, version ${policyVersion}, is no longer active, so it can only be ${mine ? "withdrawn" : "rejected"}.`;
	if (mine) return "Needs approval from another platform engineer.";
	return canDecide ? "If approved, it takes effect immediately for all queued jobs." : "Needs approval from a platform engineer.";
}

function useDecision(onClose: () => void) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const withToast = (title: string) => ({
		onSuccess: () => {
			notify({ tone: "done", title });
			onClose();
		},
		onSettled: () => {
			for (const queryKey of [trpc.approval.pathKey(), trpc.budget.pathKey(), trpc.policy.pathKey()])
				void client.invalidateQueries({ queryKey });
		},
	});
	return {
		approve: useMutation(trpc.policy.approve.mutationOptions(withToast("Change published"))),
		reject: useMutation(trpc.policy.reject.mutationOptions(withToast("Change closed"))),
	};
}

/** Diff against the active version, with current warnings. */
function Changed({ proposal: { policyName, source } }: { proposal: PolicyProposal }) {
	const trpc = useTRPC();
	const check = useQuery(trpc.policy.check.queryOptions({ name: policyName, source }));
	if (check.error)
		return <ErrorState title="Could not load the diff" detail={describeError(check.error).detail} onRetry={() => void check.refetch()} />;
	if (!check.data) return <TextSkeleton lines={6} label="Loading diff" />;
	return (
		<>
			{check.data.problems.map((problem) => (
				<p key={`${problem.line}/${problem.message}`} className="text-warn-ink">
					Line {problem.line}: {problem.message} {problem.fix}
				</p>
			))}
			{check.data.published && <DiffView changes={check.data.published.changes} lines={check.data.published.lines} />}
		</>
	);
}

/** The figures that the author reviewed. */
function Seen({ backtestId, noBacktestReason, canRead }: { backtestId: string | null; noBacktestReason: string | null; canRead: boolean }) {
	const trpc = useTRPC();
	const asks = canRead && backtestId !== null;
	const backtest = useQuery(trpc.backtest.get.queryOptions({ id: backtestId ?? "" }, { enabled: asks }));
	if (backtestId === null)
		return <p className="text-warn-ink">No finished backtest of this draft{noBacktestReason === null ? "." : `: ${noBacktestReason}`}</p>;
	if (!canRead) return <p className="text-ink-3">Backtest {backtestId} of this draft was reviewed.</p>;
	if (backtest.error)
		return (
			<ErrorState
				title="Could not load the backtest"
				detail={describeError(backtest.error).detail}
				onRetry={() => void backtest.refetch()}
			/>
		);
	if (!backtest.data) return <TextSkeleton lines={4} label="Loading backtest" />;
	const { result, from, to } = backtest.data;
	const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
	return (
		<section aria-label="Backtest" className="grid gap-2">
			<h3 className="font-semibold">
				Backtest of this draft, {formatDay(fromMs, false)} to {formatDay(toMs, false)}
			</h3>
			{result ? (
				<div className="overflow-hidden rounded-md border">
					<Figures {...{ result, fromMs, toMs }} narrow />
				</div>
			) : (
				<p className="text-ink-3">No result.</p>
			)}
		</section>
	);
}
