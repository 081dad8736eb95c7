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

/** What a change of a policy that waits would do, with the backtest that was seen before it: agreed to, or not, by who read it. */
export function ProposalDialog({ proposal: p, canDecide, onClose }: ProposalDialogProps) {
	const { approve, reject } = useDecision(onClose);
	const busy = approve.isPending || reject.isPending;
	const error = approve.error ?? reject.error;
	return (
		<Dialog
			open
			onClose={onClose}
			title={p.rollbackTo === null ? `A change of version ${p.policyVersion}` : `Back to version ${p.rollbackTo}`}
			description={`${p.mine ? "You" : p.proposedBy}: ${p.message}`}
			className="max-w-190"
			actions={
				canDecide &&
				p.decision === null && (
					<>
						<Button className="max-md:h-11!" busy={busy} onClick={() => reject.mutate({ id: p.id })}>
							{p.mine ? "Withdraw it" : "Reject it"}
						</Button>
						{!p.mine && !p.stale && (
							<Button variant="primary" className="max-md:h-11!" busy={busy} onClick={() => approve.mutate({ id: p.id })}>
								Approve it
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
				<Seen backtestId={p.backtestId} canRead={canDecide} />
			</div>
		</Dialog>
	);
}

/** Who has to do what next. */
function standing({ decision, decidedBy, mine, stale, policyVersion }: PolicyProposal, canDecide: boolean): string {
	if (decision !== null) return `It was ${decision} by ${decidedBy ?? "nobody"}.`;
	if (stale)
		return `Version ${policyVersion}, which it was made for, is no longer in force: it can only be ${mine ? "withdrawn" : "rejected"}.`;
	if (mine) return "Another platform engineer has to approve it before it counts.";
	return canDecide ? "Approved, it counts at once for every job that waits." : "A platform engineer has to approve it before it counts.";
}

function useDecision(onClose: () => void) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const told = (title: string) => ({
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
		approve: useMutation(trpc.policy.approve.mutationOptions(told("The change is in force"))),
		reject: useMutation(trpc.policy.reject.mutationOptions(told("The change was put aside"))),
	};
}

/** Against the version in force, and what the checks of today warn of. */
function Changed({ proposal: { policyName, source } }: { proposal: PolicyProposal }) {
	const trpc = useTRPC();
	const check = useQuery(trpc.policy.check.queryOptions({ name: policyName, source }));
	if (check.error)
		return (
			<ErrorState
				title="What it changes could not be loaded"
				detail={describeError(check.error).detail}
				onRetry={() => void check.refetch()}
			/>
		);
	if (!check.data) return <TextSkeleton lines={6} label="Loading what it changes" />;
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

/** The figures that whoever proposed it had looked at. */
function Seen({ backtestId, canRead }: { backtestId: string | null; canRead: boolean }) {
	const trpc = useTRPC();
	const asks = canRead && backtestId !== null;
	const backtest = useQuery(trpc.backtest.get.queryOptions({ id: backtestId ?? "" }, { enabled: asks }));
	if (backtestId === null) return <p className="text-ink-3">No backtest of this text was looked at.</p>;
	if (!canRead) return <p className="text-ink-3">Backtest {backtestId} of this text was looked at.</p>;
	if (backtest.error)
		return (
			<ErrorState
				title="The backtest could not be loaded"
				detail={describeError(backtest.error).detail}
				onRetry={() => void backtest.refetch()}
			/>
		);
	if (!backtest.data) return <TextSkeleton lines={4} label="Loading the backtest" />;
	const { result, from, to } = backtest.data;
	const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
	return (
		<section aria-label="Backtest" className="grid gap-2">
			<h3 className="font-semibold">
				Backtest of this very text, {formatDay(fromMs, false)} to {formatDay(toMs, false)}
			</h3>
			{result ? (
				<div className="overflow-hidden rounded-md border">
					<Figures {...{ result, fromMs, toMs }} narrow />
				</div>
			) : (
				<p className="text-ink-3">It has no result.</p>
			)}
		</section>
	);
}
