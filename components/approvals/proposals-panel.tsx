"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CapChange } from "#components/budgets/cap-change.tsx";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { ProposalDialog } from "#components/policies/proposal-dialog.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";
import type { Role } from "#server/domain/vocabulary.ts";
import { proposalsCsv } from "./export-csv.ts";
import type { ApprovalsView, ProposalItem } from "./params.ts";

/** Budget and policy changes that need a second person. Renders nothing if there are none. */
export function SecondPersonPanel({ view, role }: { view: ApprovalsView; role: Role }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.approval.proposals.queryOptions());
	const shown = data.filter((p) => (p.decision === null) === (view === "open"));
	if (shown.length === 0) return null;
	return (
		<Panel
			title="Proposed changes"
			sub="budgets and policies; need a second person"
			id="proposals"
			actions={
				<CsvButton size="sm" label="Proposed changes as CSV" fileName={`spillway-changes-${view}.csv`} text={() => proposalsCsv(shown)} />
			}
		>
			<ul>
				{shown.map((p) => (
					<li key={p.id} className="hairline-b flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 last:border-b-0">
						<div className="min-w-0 flex-1 basis-64">
							<What proposal={p} />
							<p className="text-pretty text-ink-2">{p.message}</p>
							<p className="text-xs text-ink-3">
								{p.mine ? "You" : p.proposedBy}, <Time atMs={Date.parse(p.proposedAt)} />
							</p>
						</div>
						{p.decision !== null && <Decided proposal={p} />}
						{p.kind === "policy_publish" ? (
							<Review proposal={p} may={mayDecide(p, role)} />
						) : (
							p.decision === null && <Decide proposal={p} may={mayDecide(p, role)} />
						)}
					</li>
				))}
			</ul>
		</Panel>
	);
}

/** Mirrors the server's rule: finance and platform engineers approve caps; platform engineers approve policies. */
function mayDecide(p: ProposalItem, role: Role): boolean {
	const ofBudgets = p.kind === "budget_cap" || (p.kind === "second_person_off" && p.secondPersonOf === "budgets");
	return ofBudgets ? role !== "data_scientist" : role === "platform";
}

function What({ proposal: p }: { proposal: ProposalItem }) {
	if (p.kind === "budget_cap") {
		return (
			<p>
				{p.added ? "Budget" : "Cap of"} <CapChange proposal={p} />
			</p>
		);
	}
	if (p.kind === "second_person_off") {
		return (
			<p>
				Second approver for <b className="font-semibold">{p.secondPersonOf === "policies" ? "policies" : "caps"}</b>: off
			</p>
		);
	}
	return (
		<p>
			Policy <b className="font-semibold">{p.policyName}</b>
			{p.rollbackTo === null ? `, a change of version ${p.policyVersion}` : `, back to version ${p.rollbackTo}`}
		</p>
	);
}

function Decided({ proposal: { decision, decidedBy, decidedAt } }: { proposal: ProposalItem }) {
	return (
		<span className="flex items-center gap-2 text-ink-3">
			<Chip tone={decision === "approved" ? "ok" : "neutral"}>{decision}</Chip>
			{decidedBy}
			{decidedAt && <Time atMs={Date.parse(decidedAt)} />}
		</span>
	);
}

/** A policy change is approved where its diff is visible. */
function Review({ proposal: p, may }: { proposal: Extract<ProposalItem, { kind: "policy_publish" }>; may: boolean }) {
	const [open, setOpen] = useState(false);
	return (
		<span className="flex flex-wrap items-center gap-2">
			{p.stale && <span className="text-xs text-ink-3">The policy has changed since this proposal</span>}
			{p.decision === null && !p.stale && <Chip tone="warn">{may && !p.mine ? "needs you or another" : "needs another"}</Chip>}
			<Button className="max-md:h-11!" onClick={() => setOpen(true)}>
				Review changes
			</Button>
			{open && <ProposalDialog proposal={p} canDecide={may} onClose={() => setOpen(false)} />}
		</span>
	);
}

function Decide({ proposal: p, may }: { proposal: ProposalItem; may: boolean }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const settled = {
		onSettled: () => {
			for (const queryKey of [trpc.approval.pathKey(), trpc.budget.pathKey(), trpc.policy.pathKey()])
				void client.invalidateQueries({ queryKey });
		},
		onError: (error: unknown) => notify({ tone: "failed", title: "Could not record the decision", detail: describeError(error).detail }),
	};
	const approve = useMutation(trpc.approval.approveProposal.mutationOptions(settled));
	const reject = useMutation(trpc.approval.rejectProposal.mutationOptions(settled));
	if (!may) return <Chip tone="warn">pending</Chip>;
	const busy = approve.isPending || reject.isPending;
	const stale = "stale" in p && p.stale;
	return (
		<span className="flex flex-wrap items-center gap-2">
			{stale && <span className="text-xs text-ink-3">The policy has changed since this proposal</span>}
			{p.mine && !stale && <Chip tone="warn">needs someone else</Chip>}
			<Button className="max-md:h-11!" busy={busy} onClick={() => reject.mutate({ id: p.id })}>
				{p.mine ? "Withdraw" : "Reject"}
			</Button>
			{!p.mine && !stale && (
				<Button variant="primary" className="max-md:h-11!" busy={busy} onClick={() => approve.mutate({ id: p.id })}>
					Approve
				</Button>
			)}
		</span>
	);
}
