"use client";
import { Money } from "#components/money/money.tsx";
import { MoreButton } from "#components/page/more-button.tsx";
import { NoResults } from "#components/page/states.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { drillHref } from "#components/spend/drill.ts";
import { jobPages } from "#components/spend/pages.ts";
import { perGpuHour } from "#components/spend/prepare-table.ts";
import { datesLabel } from "#components/spend/range.ts";
import { hours, NothingSpent } from "#components/spend/table-panel.tsx";
import { useHour } from "#components/spend/use-spend.ts";
import { BY_LABEL, DIMENSIONS, type SpendView, spendHref } from "#components/spend/view.ts";
import { dateOf } from "#components/spend/zone-days.ts";
import { useTRPC, useTRPCClient } from "#components/trpc/client.tsx";
import { useSuspenseInfiniteQuery } from "#components/trpc/infinite-queries.ts";
import { Link } from "#components/ui/link.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Dimensions with per-job totals. */
const KEPT_BY = ["team", "project", "class"] as const;

/** Most expensive jobs of the months in the range, paged. */
export function JobsTable({ view }: { view: SpendView }) {
	const others = DIMENSIONS.filter((d) => view.filters[d]?.length && !KEPT_BY.some((kept) => kept === d));
	if (others.length === 0) return <Jobs view={view} />;
	const { team, project, class: workload } = view.filters;
	const kept = { ...(team ? { team } : {}), ...(project ? { project } : {}), ...(workload ? { class: workload } : {}) };
	return (
		<NoResults what="jobs" clearHref={spendHref({ ...view, filters: kept })}>
			Job totals are available by team, project and class, not by {others.map((d) => BY_LABEL[d].toLowerCase()).join(" or ")}. Open the
			charges of this selection to see its jobs.
		</NoResults>
	);
}

function Jobs({ view }: { view: SpendView }) {
	const trpc = useTRPC();
	const client = useTRPCClient();
	const hour = useHour();
	const query = useSuspenseInfiniteQuery(jobPages(trpc.spend.jobs.pathKey(), view, hour, (input) => client.spend.jobs.query(input)));
	const [first] = query.data.pages;
	const items = query.data.pages.flatMap((page) => page.items);
	if (!first || items.length === 0) return <NothingSpent view={view} />;
	const months = { from: dateOf(first.fromMs, view.zone), to: dateOf(first.toMs - 1, view.zone) };
	return (
		<>
			<p className="px-4 pb-2 text-ink-3">Whole months, {datesLabel(months)}; most expensive first.</p>
			<Table aria-label="Breakdown by job">
				<thead>
					<tr>
						<Th>Job</Th>
						<Th>Team</Th>
						<Th>Project</Th>
						<Th>Class</Th>
						<Th>State</Th>
						<Th n>GPU-hours</Th>
						<Th n>Per GPU-hour</Th>
						<Th n>Cost</Th>
						<Th n>Charges</Th>
					</tr>
				</thead>
				<tbody>
					{items.map((job) => {
						const price = perGpuHour(job.totalMicroUsd, job.gpuMs);
						const href = drillHref({ ...view, dates: months, filters: {} }, { job: job.key });
						return (
							<Tr key={job.key}>
								<Td phone="a" className="max-w-70 truncate font-strong">
									<Link
										href={`/jobs/${job.key}`}
										className="underline-offset-4 hover:underline max-md:inline-flex max-md:min-h-6 max-md:min-w-6 max-md:items-center"
									>
										{job.name}
									</Link>
								</Td>
								<Td phone="c">{job.team}</Td>
								<Td>{job.project || <span className="text-ink-3">none</span>}</Td>
								<Td>{job.class}</Td>
								<Td className="text-ink-2">{job.state}</Td>
								<Td n phone="d">
									{hours(job.gpuMs)}
									<span className="md:hidden"> GPU-h</span>
								</Td>
								<Td n>{price === null ? <span className="text-ink-3">idle</span> : <Money value={price} kind="price" />}</Td>
								<Td n phone="b" className="font-semibold">
									<Drill href={href} what={job.name}>
										<Money value={job.totalMicroUsd} />
									</Drill>
								</Td>
								<Td n>{job.charges.toLocaleString("en-US")}</Td>
							</Tr>
						);
					})}
				</tbody>
			</Table>
			{query.hasNextPage && (
				<div className="border-t px-4 py-3">
					<MoreButton pages={query} what="more jobs">
						More jobs
					</MoreButton>
				</div>
			)}
		</>
	);
}
