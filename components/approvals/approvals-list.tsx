"use client";
import { formatMoney } from "#components/money/format-money.ts";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { type ApprovalItem, type ApprovalsView, approvalsHref, approvalsQuery } from "./params.ts";
import { APPROVAL_STATES, answerWords } from "./words.ts";

/** Approval requests, newest first. Each has its own URL so that it can be shared. */
export function ApprovalsList({ view, chosen }: { view: ApprovalsView; chosen: string | null }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.approval.list.queryOptions(approvalsQuery(view)));
	if (data.items.length === 0) {
		return (
			<EmptyState icon="approvals" title={view === "open" ? "No pending approvals" : "No decided approvals"}>
				{view === "open"
					? "Jobs held by a rule with require: { approval: … } appear here."
					: "Approved, rejected, withdrawn and expired requests appear here."}
			</EmptyState>
		);
	}
	return (
		<>
			<ul aria-label={view === "open" ? "Pending approvals" : "Decided approvals"}>
				{data.items.map((item) => (
					<li key={item.id} className="hairline-b last:border-b-0">
						<Line item={item} view={view} on={item.id === chosen} />
					</li>
				))}
			</ul>
			{data.nextCursor !== null && (
				<p className="px-4 py-2.5 text-xs text-ink-3">Newest 50. For older ones run: spillway approvals --past</p>
			)}
		</>
	);
}

function Line({ item, view, on }: { item: ApprovalItem; view: ApprovalsView; on: boolean }) {
	const { job, quote } = item;
	const { label, tone } = APPROVAL_STATES[item.state];
	return (
		<Link
			href={approvalsHref({ view, approval: item.id })}
			scroll={false}
			aria-current={on ? "true" : undefined}
			className={cn("grid grid-cols-[1fr_auto] gap-x-3 gap-y-0.5 px-4 py-3 hover:bg-sunken", on && "bg-sunken")}
		>
			<b className="truncate font-semibold">{job.name}</b>
			<span className="num font-semibold">{formatMoney(quote.costMicroUsd, "estimate")}</span>
			<span className="min-w-0 truncate text-ink-2">
				{job.team}, {job.submittedBy}
			</span>
			<Chip tone={tone}>{item.mayAnswer ? "your decision" : label}</Chip>
			<span className="text-xs text-ink-3">
				{item.ruleId}, <Time atMs={Date.parse(item.requestedAt)} />
			</span>
			{item.state !== "open" && <span className="text-right text-xs text-ink-3">{item.decidedBy ?? answerWords(item)}</span>}
		</Link>
	);
}
