"use client";
import { Money } from "#components/money/money.tsx";
import { financeTasks } from "#components/overview/finance-tasks.ts";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";

/** Months to close and sign, bills to import, and differences to explain. @param lastMonth the last ended UTC month, "2026-10" */
export function FinanceTasksPanel({ lastMonth }: { lastMonth: string }) {
	const trpc = useTRPC();
	const { data: statements } = useSuspenseQuery(trpc.statement.list.queryOptions({}));
	const { data: bills } = useSuspenseQuery(trpc.bill.list.queryOptions());
	const { data: reconciled } = useSuspenseQuery(trpc.bill.reconciliation.queryOptions({ month: lastMonth }));
	const tasks = financeTasks(statements.items, bills, reconciled);
	return (
		<Panel
			title="To do"
			actions={
				<Link href="/statements" className="hover:text-ink">
					Statements
				</Link>
			}
		>
			{tasks.length === 0 ? (
				<EmptyState icon="statements" title="Nothing to close or import" className="py-7">
					Ended months and missing bills appear here.
				</EmptyState>
			) : (
				<ul>
					{tasks.map((task) => (
						<li key={task.id} className="hairline-b last:border-b-0">
							<Link href={task.href} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-4 py-2.5 hover:bg-sunken">
								<b className="truncate font-strong">{task.title}</b>
								<span className="num font-semibold">{task.microUsd !== null && <Money value={task.microUsd} />}</span>
								<span className="text-xs text-ink-3">{task.note}</span>
							</Link>
						</li>
					))}
				</ul>
			)}
		</Panel>
	);
}
