"use client";
import { useState } from "react";
import { queueCsv } from "#components/capacity/export-csv.ts";
import { hasQueue } from "#components/capacity/own-kinds.ts";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Elapsed, Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

type Queue = Outputs["site"]["queue"];
type QueuedJob = Queue["items"][number];

/** Rows per click. CSV and CLI return as many as one response holds. */
const SHOWN = 15;
const MORE = 50;

/** Each cluster's own queue: jobs not submitted through Spillway. Renders nothing if no cluster has one. */
export function QueuePanels() {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	return sites.filter(hasQueue).map((site) => (
		<QueryBoundary
			key={site.id}
			what={`queue of ${site.name}`}
			framed
			skeleton={
				<Panel title={`Queue of ${site.name}`}>
					<TableSkeleton rows={4} columns={6} label={`Loading queue of ${site.name}`} />
				</Panel>
			}
		>
			<QueuePanel siteId={site.id} name={site.name} />
		</QueryBoundary>
	));
}

function QueuePanel({ siteId, name }: { siteId: string; name: string }) {
	const trpc = useTRPC();
	const { data: queue } = useSuspenseQuery(trpc.site.queue.queryOptions({ id: siteId }));
	const [most, setMost] = useState(SHOWN);
	const shown = queue.items.slice(0, most);
	const rest = queue.items.length - shown.length;
	return (
		<Panel
			title={`Queue of ${name}`}
			sub="jobs not submitted through Spillway"
			{...(queue.total > shown.length && {
				footer: (
					<span className="flex flex-wrap items-center gap-x-3 gap-y-1">
						{rest > 0 && (
							<Button variant="link" size="sm" onClick={() => setMost(most + MORE)}>
								Show {Math.min(MORE, rest)} more of {formatCount(rest)}
							</Button>
						)}
						{queue.total > queue.items.length && (
							<span>
								This list, its CSV and <code>spillway site queue {siteId}</code> show the first {formatCount(queue.items.length)} of{" "}
								{formatCount(queue.total)}
							</span>
						)}
					</span>
				),
			})}
			actions={
				<>
					{queue.readAt !== null && (
						<span>
							read <Time atMs={Date.parse(queue.readAt)} />
						</span>
					)}
					{queue.items.length > 0 && (
						<CsvButton
							size="sm"
							label={`Queue of ${name} as CSV`}
							fileName={`spillway-queue-${siteId}.csv`}
							text={() => queueCsv(siteId, queue.items)}
						/>
					)}
				</>
			}
		>
			{shown.length === 0 ? (
				<EmptyState icon="capacity" title="No other jobs">
					{queue.readAt === null
						? "The queue appears once the cluster responds."
						: "Jobs submitted directly to the cluster appear here and count in forecasts."}
				</EmptyState>
			) : (
				<Table aria-label={`Queue of ${name}`}>
					<thead>
						<tr>
							<Th>Job</Th>
							<Th>Owner</Th>
							<Th n>GPUs</Th>
							<Th>State</Th>
							<Th n>Since</Th>
							<Th>Adopted</Th>
						</tr>
					</thead>
					<tbody>
						{shown.map((job) => (
							<QueueRow key={job.id} job={job} />
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}

function QueueRow({ job }: { job: QueuedJob }) {
	const since = job.startedAt ?? job.submittedAt;
	/** On a phone, the default value "not opted in" takes no line. */
	const hasDetails = job.adoption !== null || job.notAdopted.length > 0;
	return (
		<Tr>
			<Td phone="a" className="whitespace-normal! wrap-anywhere md:min-w-44">
				<span className="font-strong">{job.name}</span> <span className="text-ink-3">{job.id}</span>
			</Td>
			<Td phone="c">
				{job.user} <span className="text-ink-3">{job.partition}</span>
			</Td>
			<Td n phone="b">
				{job.gpus}
				<span className="text-ink-3 md:hidden"> GPUs</span>
			</Td>
			<Td phone="d">
				{job.state} {job.waitingReason !== null && <span className="text-ink-3">{job.waitingReason}</span>}
			</Td>
			<Td n>{since === null ? <span className="text-ink-3">unknown</span> : <Elapsed sinceMs={Date.parse(since)} />}</Td>
			<Td {...(hasDetails && { phone: "e" })} className={hasDetails ? "whitespace-normal! max-md:text-xs md:min-w-44" : ""}>
				<AdoptionOf job={job} />
			</Td>
		</Tr>
	);
}

function AdoptionOf({ job: { adoption, notAdopted } }: { job: QueuedJob }) {
	if (adoption !== null) {
		return (
			<>
				<Link href={`/jobs/${adoption.jobId}`} className="font-strong hover:underline">
					{adoption.state}
				</Link>{" "}
				{adoption.problem !== null && <span className="text-risk-ink">{adoption.problem}</span>}
			</>
		);
	}
	return <span className="text-ink-3">{notAdopted[0] ?? "not opted in"}</span>;
}
