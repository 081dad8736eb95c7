"use client";
import Link from "next/link";
import type { Site } from "#components/capacity/lead.ts";
import { LINE_QUERY } from "#components/capacity/params.ts";
import { holdersOf } from "#components/capacity/slots.ts";
import { SlotRow } from "#components/charts/slot-row.tsx";
import { StateGlyph } from "#components/job-state/state-mark.tsx";
import { Elapsed, Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

const LINE_SHOWN = 8;
/** Slots of a pool are drawn up to so many nodes; a large pool's nodes stand by name in the panel of its site. */
const NODES_DRAWN = 8;

/** The owned pools slot by slot, and who stands in line for them. */
export function HomePanel() {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const homes = sites.filter((s) => s.kind === "owned");
	return (
		<Panel title="Slots at home" sub="which job holds which GPU">
			{homes.length === 0 && <p className="px-4 pb-4 text-ink-3">No owned site is connected.</p>}
			{homes.flatMap((site) => site.pools.map((pool) => <PoolSlots key={`${site.id}/${pool.id}`} site={site} pool={pool} />))}
			<Line />
		</Panel>
	);
}

function nodesToComeText({ nodesToCome, noneComes }: Pick<Site["pools"][number], "nodesToCome" | "noneComes">): string {
	if (noneComes) return "the cluster added no node when a job asked; it is asked again later";
	return `up to ${nodesToCome} more ${nodesToCome === 1 ? "node comes" : "nodes come"} when jobs ask`;
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

/** Jobs that wait, those that start first on top. */
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
				<h3 className="text-sm font-semibold">In line</h3>
				<span className="text-ink-3">
					{jobs.length === 0
						? "nobody waits"
						: `${data.nextCursor ? "more than " : ""}${jobs.length} ${jobs.length === 1 ? "job wants" : "jobs want"} ${gpus} ${gpus === 1 ? "GPU" : "GPUs"}`}
				</span>
			</div>
			{jobs.length > 0 && (
				<Table aria-label="Jobs in line">
					<thead className="sr-only">
						<tr>
							<Th>Job</Th>
							<Th n>GPUs</Th>
							<Th n>Should start at home, and waits since</Th>
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
										waits <Elapsed sinceMs={Date.parse(job.pendingSince)} />
									</span>
								</Td>
								<Td phone="c" className="md:hidden">
									waits <Elapsed sinceMs={Date.parse(job.pendingSince)} />
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
