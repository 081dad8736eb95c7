"use client";
import { useState } from "react";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { type PolicyProposal, ProposalDialog } from "./proposal-dialog.tsx";

/** Publications that need a second person. Renders nothing if there are none. */
export function PolicyProposals({ canDecide }: { canDecide: boolean }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.policy.proposals.queryOptions());
	const waiting = data.filter((p) => p.decision === null);
	if (waiting.length === 0) return null;
	return (
		<Panel title="Pending second approval" id="proposals">
			<ul>
				{waiting.map((p) => (
					<ProposalLine key={p.id} proposal={p} canDecide={canDecide} />
				))}
			</ul>
		</Panel>
	);
}

function ProposalLine({ proposal: p, canDecide }: { proposal: PolicyProposal; canDecide: boolean }) {
	const [open, setOpen] = useState(false);
	return (
		<li className="hairline-b flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 last:border-b-0">
			<div className="min-w-0 flex-1 basis-64">
				<p className="text-pretty">{p.message}</p>
				<p className="text-xs text-ink-3">
					{p.mine ? "You" : p.proposedBy}, <Time atMs={Date.parse(p.proposedAt)} />
				</p>
			</div>
			<span className="flex flex-wrap items-center gap-2">
				{p.stale ? (
					<span className="text-xs text-ink-3">The policy has changed since this proposal</span>
				) : (
					<Chip tone="warn">{canDecide && !p.mine ? "needs you or another" : "needs someone else"}</Chip>
				)}
				<Button onClick={() => setOpen(true)}>Review changes</Button>
			</span>
			{open && <ProposalDialog proposal={p} canDecide={canDecide} onClose={() => setOpen(false)} />}
		</li>
	);
}
