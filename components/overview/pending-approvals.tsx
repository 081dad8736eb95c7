"use client";
import { ApprovalsList } from "#components/approvals/approvals-list.tsx";
import { approvalsQuery } from "#components/approvals/params.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";

/** Pending approvals; renders nothing if there are none. */
export function PendingApprovals() {
	const { data } = useSuspenseQuery(useTRPC().approval.list.queryOptions(approvalsQuery("open")));
	if (data.items.length === 0) return null;
	return (
		<Panel
			title="Pending approvals"
			actions={
				<Link href="/approvals" className="hover:text-ink">
					Approvals
				</Link>
			}
		>
			<ApprovalsList view="open" chosen={null} />
		</Panel>
	);
}
