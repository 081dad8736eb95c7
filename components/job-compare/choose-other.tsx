"use client";
import { StateGlyph } from "#components/job-state/state-mark.tsx";
import { shownState } from "#components/jobs/cells.tsx";
import { compareHref, othersQuery } from "#components/jobs/compare-link.ts";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** The team's recent jobs, those of the same project first. */
export function ChooseOther({ id }: { id: string }) {
	const trpc = useTRPC();
	const { data: job } = useSuspenseQuery(trpc.job.get.queryOptions({ id }));
	const { data } = useSuspenseQuery(trpc.job.list.queryOptions(othersQuery(job.team)));
	const others = data.items
		.filter((other) => other.id !== id)
		.sort((a, b) => Number(b.project === job.project) - Number(a.project === job.project));
	return (
		<Panel title={`Compare ${job.name} with`} sub={`recent jobs of ${job.team}`}>
			{others.length === 0 ? (
				<EmptyState icon="jobs" title="No other jobs" className="py-16">
					Other jobs of the team appear here.
				</EmptyState>
			) : (
				<Table aria-label="Jobs to compare with">
					<thead>
						<tr>
							<Th>Job</Th>
							<Th>State</Th>
							<Th>Submitted</Th>
							<Th n>Cost</Th>
						</tr>
					</thead>
					<tbody>
						{others.map((other) => (
							<Tr key={other.id}>
								<Td phone="a">
									<Link href={compareHref(id, other.id)} className="font-strong hover:underline">
										{other.name}
									</Link>{" "}
									<span className="text-ink-3">{other.project}</span>
								</Td>
								<Td phone="c">
									<span className="inline-flex items-center gap-1.5">
										<StateGlyph state={shownState(other)} progress={null} /> {shownState(other)}
									</span>
								</Td>
								<Td phone="d">
									<Time atMs={Date.parse(other.submittedAt)} />
								</Td>
								<Td n phone="b">
									<Money value={other.costMicroUsd} />
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}
