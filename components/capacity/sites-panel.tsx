"use client";
import type { Site } from "#components/capacity/lead.ts";
import { regionsOf } from "#components/capacity/regions.ts";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { PlaceSwatch } from "#components/place/place.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Health } from "#components/ui/chip.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Meter } from "#components/ui/meter.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

const KIND: Record<Site["provider"], string> = {
	local: "local processes",
	slurm: "Slurm",
	kubernetes: "Kubernetes",
	aws: "Amazon EC2",
	azure: "Azure",
	gcp: "Google Cloud",
};

/** Sites and pools with use and health. */
export function SitesTable() {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	if (sites.length === 0) {
		return (
			<EmptyState icon="capacity" title="No sites connected">
				Connect an owned cluster or a cloud account to run jobs.
			</EmptyState>
		);
	}
	return (
		<Table aria-label="Sites and pools">
			<thead>
				<tr>
					<Th>Site</Th>
					<Th>Type</Th>
					<Th n>GPUs in use</Th>
					<Th className="w-28 max-[90rem]:hidden">
						<span className="sr-only">Use</span>
					</Th>
					<Th n>$/h</Th>
					<Th>Health</Th>
				</tr>
			</thead>
			<tbody>
				{[...sites.filter((s) => s.kind === "owned"), ...sites.filter((s) => s.kind === "cloud")].map((site) => (
					<SiteRows key={site.id} site={site} />
				))}
			</tbody>
		</Table>
	);
}

function SiteRows({ site }: { site: Site }) {
	const cloud = site.kind === "cloud";
	const regions = site.regions.length;
	return (
		<>
			<Tr>
				<Td phone="a" className="font-strong">
					<span className="inline-flex items-center gap-2">
						<PlaceSwatch capacity={cloud ? "on_demand" : "owned"} />
						{site.name}
					</span>
				</Td>
				<Td phone="c" className="leading-snug text-ink-2 md:whitespace-normal!">
					{KIND[site.provider]}
					{cloud && regions > 0 && `, ${regions} ${regions === 1 ? "region" : "regions"}`}
				</Td>
				<Td n phone="b">
					<b className="font-semibold">{formatCount(site.gpusBusy)}</b>{" "}
					<span className="text-ink-3">
						{site.gpusTotal === null
							? `on ${formatCount(site.instancesLive)} ${site.instancesLive === 1 ? "machine" : "machines"}`
							: `of ${formatCount(site.gpusTotal)}`}
					</span>
				</Td>
				<Td className="max-[90rem]:hidden">
					{site.gpusTotal !== null && (
						<Meter fill="owned" value={site.gpusBusy} max={site.gpusTotal} label={`${site.gpusBusy} of ${site.gpusTotal} GPUs in use`} />
					)}
				</Td>
				<Td n>{cloud ? <Money value={site.burnMicroUsdPerHour} kind="price" /> : <span className="text-ink-3">owned</span>}</Td>
				<Td phone="d" className="leading-snug md:whitespace-normal!">
					<SiteHealth site={site} />
				</Td>
			</Tr>
			{site.enabled && !site.healthy && site.healthMessage !== null && (
				<Tr>
					<Td
						colSpan={6}
						phone="e"
						className="h-auto! max-w-0 pt-1 pb-2.5 pl-8! text-xs text-pretty whitespace-normal! text-risk-ink [overflow-wrap:anywhere] max-md:max-w-none max-md:pl-4!"
					>
						{site.healthMessage}
					</Td>
				</Tr>
			)}
			{cloud && site.enabled && regions > 0 && <RegionsRow site={site} />}
			{site.pools.map((pool) => (
				<Tr key={pool.id}>
					<Td phone="a" className="pl-8! text-ink-2 max-md:pl-4!">
						{site.pools.length === 1 && pool.id === site.id ? "pool" : pool.id}
					</Td>
					<Td phone="c" className="text-ink-2">
						{pool.nodesToCome > 0 ? `${pool.nodes - pool.nodesToCome} of up to ${pool.nodes}` : pool.nodes}{" "}
						{pool.nodes === 1 ? "node" : "nodes"} × {pool.gpusPerNode} {pool.accelerator}
						{pool.speed !== 1 && <span className="text-ink-3">, {pool.speed} × as fast</span>}
					</Td>
					<Td n phone="b">
						{formatCount(pool.busy)} <span className="text-ink-3">of {formatCount(pool.gpus)}</span>
					</Td>
					<Td className="max-[90rem]:hidden">
						<Meter fill="owned" value={pool.busy} max={pool.gpus} label={`${pool.busy} of ${pool.gpus} GPUs in use`} />
					</Td>
					<Td n>
						<Money value={pool.microUsdPerGpuHour} kind="price" per="per GPU" />
					</Td>
					<Td phone="d" className="text-ink-3">
						{pool.unavailable > 0 ? <Health tone="warn">{pool.unavailable} out of service</Health> : "all in service"}
					</Td>
				</Tr>
			))}
		</>
	);
}

/** Regions of an account; a failing region shows its reason. */
function RegionsRow({ site }: { site: Site }) {
	const all = regionsOf(site);
	const out = all.filter((r) => r.answers === false);
	return (
		<Tr>
			<Td colSpan={4} phone="e" className="py-1.5 pl-8! whitespace-normal! max-md:pl-4!">
				<ul aria-label={`Regions of ${site.name}`} className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2">
					{all.map(({ region, answers, why }) => (
						<li key={region} className={why === null ? "" : "basis-full"}>
							<Health tone={answers === null ? "neutral" : answers ? "ok" : "risk"} className="whitespace-normal!">
								<span className="[overflow-wrap:anywhere]">
									{region}
									{answers === null && <span className="text-ink-3"> not swept yet</span>}
									{why !== null && <span className="text-ink-3">: {why}</span>}
								</span>
							</Health>
						</li>
					))}
				</ul>
			</Td>
			<Td className="max-[90rem]:hidden" />
			<Td className="text-ink-3">{out.length > 0 ? `${all.length - out.length} of ${all.length} reachable` : null}</Td>
		</Tr>
	);
}

function SiteHealth({ site }: { site: Site }) {
	if (!site.enabled) return <Health tone="neutral">disabled</Health>;
	const seen = site.lastSeenAt ? (
		<>
			seen <Time atMs={Date.parse(site.lastSeenAt)} />
		</>
	) : (
		"never seen"
	);
	if (site.healthy) return <Health tone="ok">{seen}</Health>;
	return (
		<Health tone="risk" className="md:whitespace-normal">
			<span>unreachable, {seen}</span>
		</Health>
	);
}
