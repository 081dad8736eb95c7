"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CapChange } from "#components/budgets/cap-change.tsx";
import { useReadAgain } from "#components/budgets/use-budget.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";

type Proposal = Outputs["budget"]["proposals"][number];

/** Cap changes that need a second person, and recent decisions. Renders nothing if there were none. */
export function ProposalsPanel({ canChange }: { canChange: boolean }) {
	const trpc = useTRPC();
	const { data: proposals } = useSuspenseQuery(trpc.budget.proposals.queryOptions());
	const { data: settings } = useSuspenseQuery(trpc.budget.settings.queryOptions());
	if (proposals.length === 0 && !settings.secondPerson) return null;
	return (
		<Panel title="Proposed changes" sub="caps; need a second person" id="approvals">
			{proposals.length === 0 ? (
				<p className="px-4 pb-4 text-ink-3">No pending changes. Proposed cap changes appear here.</p>
			) : (
				<ul>
					{proposals.map((p) => (
						<ProposalLine key={p.id} proposal={p} canChange={canChange} />
					))}
				</ul>
			)}
		</Panel>
	);
}

function ProposalLine({ proposal: p, canChange }: { proposal: Proposal; canChange: boolean }) {
	return (
		<li className="hairline-b flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 last:border-b-0">
			<div className="min-w-0 flex-1 basis-64">
				<p>
					<CapChange proposal={p} />
				</p>
				<p className="text-pretty text-ink-2">{p.message}</p>
				<p className="text-xs text-ink-3">
					{p.mine ? "You" : p.proposedBy}, <Time atMs={Date.parse(p.proposedAt)} />
				</p>
			</div>
			{p.decision === null ? <Decide proposal={p} canChange={canChange} /> : <Decided proposal={p} />}
		</li>
	);
}

function Decided({ proposal: { decision, decidedBy, decidedAt } }: { proposal: Proposal }) {
	return (
		<span className="flex items-center gap-2 text-ink-3">
			<Chip tone={decision === "approved" ? "ok" : "neutral"}>{decision}</Chip>
			{decidedBy}
			{decidedAt && <Time atMs={Date.parse(decidedAt)} />}
		</span>
	);
}

function Decide({ proposal: p, canChange }: { proposal: Proposal; canChange: boolean }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const readAgain = useReadAgain();
	const settled = {
		onSettled: () => {
			for (const queryKey of readAgain) void client.invalidateQueries({ queryKey });
		},
		onError: (error: unknown) => notify({ tone: "failed", title: "Could not record the decision", detail: describeError(error).detail }),
	};
	const approve = useMutation(trpc.budget.approve.mutationOptions(settled));
	const reject = useMutation(trpc.budget.reject.mutationOptions(settled));
	if (!canChange) return <Chip tone="warn">pending</Chip>;
	const busy = approve.isPending || reject.isPending;
	return (
		<span className="flex flex-wrap items-center gap-2">
			{p.stale && <span className="text-xs text-ink-3">The policy has changed since this proposal</span>}
			{p.mine && !p.stale && <Chip tone="warn">needs someone else</Chip>}
			<Button busy={busy} onClick={() => reject.mutate({ id: p.id })}>
				{p.mine ? "Withdraw" : "Reject"}
			</Button>
			{!p.mine && !p.stale && (
				<Button variant="primary" busy={busy} onClick={() => approve.mutate({ id: p.id })}>
					Approve
				</Button>
			)}
		</span>
	);
}
