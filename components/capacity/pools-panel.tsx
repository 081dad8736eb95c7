"use client";
import type { Site } from "#components/capacity/lead.ts";
import { LINE_QUERY } from "#components/capacity/params.ts";
import { holdersOf } from "#components/capacity/slots.ts";
import { SlotRow } from "#components/charts/slot-row.tsx";
import { StateGlyph } from "#components/job-state/state-mark.tsx";
import { Elapsed, Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

const LINE_SHOWN = 8;
/** Pools with more nodes than this are not drawn slot by slot; their nodes are listed in the site's panel. */
const NODES_DRAWN = 8;

/** Owned pools slot by slot, and the jobs queued for them. */
export function HomePanel() {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const homes = sites.filter((s) => s.kind === "owned");
	return (
		<Panel title="Owned slots" sub="GPUs by job">
			{homes.length === 0 && <p className="px-4 pb-4 text-ink-3">No owned site connected.</p>}
			{homes.flatMap((site) => site.pools.map((pool) => <PoolSlots key={`${site.id}/${pool.id}`} site={site} pool={pool} />))}
			<Line />
		</Panel>
	);
}

function nodesToComeText({ nodesToCome, noneComes }: Pick<Site["pools"][number], "nodesToCome" | "noneComes">): string {
	if (noneComes) return "The cluster did not add a requested node; a retry follows";
	return `up to ${nodesToCome} more ${nodesToCome === 1 ? "node" : "nodes"} on demand`;
}

function PoolSlots({ site, pool }: { site: Site; pool: Site["pools"][number] }) {
	const holders = holdersOf(pool.holders);
	const free = pool.gpus - pool.busy - pool.unavailable;
	const perNode = Math.max(1, pool.gpusPerNode);
	const nodes =
		pool.nodes > NODES_DRAWN
			? []
			: Array.from({ length: Math.ceil(pool.slots.length / perNode) }, (_, i) => pool.slots.slice(i * perNode, (i + 1) * perNode));
	return (
		<div>
			<div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pb-3">
				{nodes.map((slots, i) => (
					<span key={slots[0]?.slot ?? i} className="inline-flex items-center gap-2">
						{pool.nodes > 1 && <span className="text-xs text-ink-3">node {i + 1}</span>}
						<SlotRow
							label={`${pool.id}${pool.nodes > 1 ? `, node ${i + 1}` : ""}: ${slots.filter((s) => s.state === "busy").length} of ${slots.length} slots busy`}
							slots={slots.map((s) => (s.state === "busy" ? "spillway" : s.state === "free" ? "free" : "off"))}
						/>
					</span>
				))}
				<span className="text-ink-3">
					{site.name}, {pool.accelerator}: <b className="font-semibold text-ink">{pool.busy}</b> busy, {free} free
					{pool.unavailable > 0 && `, ${pool.unavailable} out of service`}
					{pool.nodesToCome > 0 && `; ${nodesToComeText(pool)}`}
				</span>
			</div>
			{holders.length > 0 && (
				<Table aria-label={`Slots of ${pool.id}`} className="border-t">
					<thead>
						<tr>
							<Th>Slots</Th>
							<Th>Job</Th>
							<Th>Team</Th>
							<Th n>GPUs</Th>
						</tr>
					</thead>
					<tbody>
						{holders.map((h) => (
							<Tr key={h.jobId}>
								<Td phone="c" className="tabular text-ink-3">
									<span className="md:hidden">slot </span>
									{h.slots}
								</Td>
								<Td phone="a">
									<Link href={`/jobs/${h.jobId}`} className="font-strong hover:underline">
										{h.jobName}
									</Link>
								</Td>
								<Td phone="d" className="text-ink-2">
									{h.team}
								</Td>
								<Td n phone="b">
									{h.gpus}
									<span className="text-ink-3 md:hidden"> GPU{h.gpus === 1 ? "" : "s"}</span>
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
		</div>
	);
}

/** Queued jobs, next to start first. */
function Line() {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.job.list.queryOptions(LINE_QUERY));
	const jobs = [...data.items].sort(
		(a, b) => (a.forecast?.p50Ms ?? Number.POSITIVE_INFINITY) - (b.forecast?.p50Ms ?? Number.POSITIVE_INFINITY),
	);
	const gpus = jobs.reduce((sum, j) => sum + j.gpus, 0);
	const rest = jobs.length - LINE_SHOWN;
	return (
		<div className="mt-auto border-t">
			<div className="flex min-h-10 flex-wrap items-center gap-x-2 px-4 py-2">
				<h3 className="text-sm font-semibold">Queue</h3>
				<span className="text-ink-3">
					{jobs.length === 0
						? "empty"
						: `${data.nextCursor ? "more than " : ""}${jobs.length} ${jobs.length === 1 ? "job" : "jobs"}, ${gpus} ${gpus === 1 ? "GPU" : "GPUs"}`}
				</span>
			</div>
			{jobs.length > 0 && (
				<Table aria-label="Queued jobs">
					<thead className="sr-only">
						<tr>
							<Th>Job</Th>
							<Th n>GPUs</Th>
							<Th n>Forecast owned start, queued since</Th>
						</tr>
					</thead>
					<tbody>
						{jobs.slice(0, LINE_SHOWN).map((job) => (
							<Tr key={job.id}>
								<Td phone="a" className="w-full max-w-0 py-1.5 max-md:max-w-none">
									<span className="flex items-center gap-2" title={job.reason.message}>
										<StateGlyph state={job.state} />
										<span className="min-w-0 max-md:flex max-md:gap-2">
											<Link href={`/jobs/${job.id}`} className="block truncate font-strong hover:underline">
												{job.name}
											</Link>
											<span className="block truncate text-ink-3 md:text-xs">{job.team}</span>
										</span>
									</span>
								</Td>
								<Td n phone="b">
									{job.gpus} <span className="text-ink-3">GPU{job.gpus === 1 ? "" : "s"}</span>
								</Td>
								<Td n phone="d">
									{job.state === "held" ? (
										"held"
									) : job.forecast ? (
										<>
											<span className="text-ink-3">≈</span> <Time atMs={job.forecast.p50Ms} form="short" />
										</>
									) : (
										<span className="text-ink-3">no forecast</span>
									)}
									<span className="block text-xs text-ink-3 max-md:hidden">
										queued <Elapsed sinceMs={Date.parse(job.pendingSince)} />
									</span>
								</Td>
								<Td phone="c" className="md:hidden">
									queued <Elapsed sinceMs={Date.parse(job.pendingSince)} />
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
			{rest > 0 && (
				<p className="border-t px-4 py-2.5 text-xs">
					<Link href="/jobs" className="text-accent hover:underline">
						{rest} more
					</Link>
				</p>
			)}
		</div>
	);
}
