"use client";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";

type Proposal = Outputs["policy"]["proposals"][number];

/** Publications that wait for a second person. Nothing while none does. */
export function PolicyProposals({ canDecide }: { canDecide: boolean }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.policy.proposals.queryOptions());
	const waiting = data.filter((p) => p.decision === null);
	if (waiting.length === 0) return null;
	return (
		<Panel title="Waits for a second person" id="proposals">
			<ul>
				{waiting.map((p) => (
					<ProposalLine key={p.id} proposal={p} canDecide={canDecide} />
				))}
			</ul>
		</Panel>
	);
}

function ProposalLine({ proposal: p, canDecide }: { proposal: Proposal; canDecide: boolean }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const settled = {
		onSettled: () => void client.invalidateQueries({ queryKey: trpc.policy.pathKey() }),
		onError: (error: unknown) => notify({ tone: "failed", title: "That was not possible", detail: describeError(error).detail }),
	};
	const approve = useMutation(trpc.policy.approve.mutationOptions(settled));
	const reject = useMutation(trpc.policy.reject.mutationOptions(settled));
	const busy = approve.isPending || reject.isPending;
	return (
		<li className="hairline-b flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 last:border-b-0">
			<div className="min-w-0 flex-1 basis-64">
				<p className="text-pretty">{p.message}</p>
				<p className="text-xs text-ink-3">
					{p.mine ? "You" : p.proposedBy}, <Time atMs={Date.parse(p.proposedAt)} />
				</p>
			</div>
			{canDecide ? (
				<span className="flex flex-wrap items-center gap-2">
					{p.mine && <Chip tone="warn">waits for somebody else</Chip>}
					<Button busy={busy} onClick={() => reject.mutate({ id: p.id })}>
						{p.mine ? "Withdraw" : "Reject"}
					</Button>
					{!p.mine && (
						<Button variant="primary" busy={busy} onClick={() => approve.mutate({ id: p.id })}>
							Approve
						</Button>
					)}
				</span>
			) : (
				<Chip tone="warn">waits</Chip>
			)}
		</li>
	);
}
