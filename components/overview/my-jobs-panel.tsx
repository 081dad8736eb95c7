"use client";
import { ReasonText } from "#components/job-state/reason-text.tsx";
import { JobGlyph, JobPlace, JobStart, JobTotal } from "#components/jobs/cells.tsx";
import { hourlyRates } from "#components/jobs/estimate.ts";
import { useToday } from "#components/jobs/facet-count.tsx";
import { myJobs } from "#components/overview/my-jobs.ts";
import { CLOUD_NOW_QUERY, myJobsQuery, TEAM_JOBS_QUERY } from "#components/overview/range.ts";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobView, Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

const SHOWN = 8;
const FORECAST_AXIS_MS = 60 * 60_000;

/** The person's own jobs of the last seven days with what they are waiting for; without any, the active jobs of their teams. */
export function MyJobsPanel() {
	const { data } = useSuspenseQuery(useTRPC().job.list.queryOptions(myJobsQuery(useToday())));
	return data.items.length > 0 ? <JobsPanel sub="active, or ended in the last 7 days" page={data} /> : <TeamJobs />;
}

function TeamJobs() {
	const { data } = useSuspenseQuery(useTRPC().job.list.queryOptions(TEAM_JOBS_QUERY));
	return <JobsPanel sub={data.items.length > 0 ? "none this week; active jobs of your teams" : undefined} page={data} />;
}

type JobsPanelProps = { sub: string | undefined; page: Outputs["job"]["list"] };

function JobsPanel({ sub, page }: JobsPanelProps) {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const { data: machines } = useSuspenseQuery(trpc.instance.list.queryOptions(CLOUD_NOW_QUERY));
	const rates = hourlyRates(sites, machines.items);
	const jobs = myJobs(page.items);
	return (
		<Panel
			title="My jobs"
			sub={sub}
			actions={
				<Link href="/jobs" className="hover:text-ink">
					All jobs of my teams
				</Link>
			}
			footer={jobs.length > SHOWN ? `${jobs.length - SHOWN}${page.nextCursor ? " or more" : ""} more` : undefined}
		>
			{jobs.length === 0 ? (
				<EmptyState title="You have no recent jobs" action={{ label: "Submit job", href: "/jobs/new" }}>
					Your jobs appear here with what they wait for.
				</EmptyState>
			) : (
				<Table aria-label="My jobs">
					<thead>
						<tr>
							<Th>Job</Th>
							<Th>Place</Th>
							<Th>Why</Th>
							<Th>Start</Th>
							<Th n>Total</Th>
						</tr>
					</thead>
					<tbody>
						{jobs.slice(0, SHOWN).map((job) => (
							<Row key={job.id} job={job} rates={rates} />
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}

function Row({ job, rates }: { job: JobView; rates: ReturnType<typeof hourlyRates> }) {
	return (
		<Tr>
			<Td phone="a">
				<span className="flex min-w-0 items-center gap-2">
					<JobGlyph job={job} />
					<span className="sr-only">{job.state}</span>
					<Link href={`/jobs/${job.id}`} className="truncate font-strong hover:underline">
						{job.name}
					</Link>
				</span>
			</Td>
			<Td>
				<JobPlace job={job} rates={rates} />
			</Td>
			<Td phone="e" className="max-w-[32rem] text-ink-2 md:py-1.5 md:whitespace-normal">
				<ReasonText reason={job.reason} />
			</Td>
			<Td phone="d">
				<JobStart job={job} axisMs={FORECAST_AXIS_MS} />
			</Td>
			<Td n phone="b">
				<JobTotal job={job} rates={rates} />
			</Td>
		</Tr>
	);
}
