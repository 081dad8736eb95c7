"use client";
import type { Site } from "#components/capacity/lead.ts";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { cn } from "#components/ui/cn.ts";
import { Icon } from "#components/ui/icon.tsx";

/** Result of each cloud account's last sweep. */
export function SweepFacts() {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const clouds = sites.filter((s) => s.kind === "cloud");
	if (clouds.length === 0) return <p className="px-4 pb-4 text-ink-3">No cloud account connected.</p>;
	return (
		<div className="grid gap-3 px-4 pb-4">
			{clouds.map((site) => (
				<SweepOf key={site.id} site={site} />
			))}
		</div>
	);
}

function SweepOf({ site }: { site: Site }) {
	const sweep = site.lastSweep;
	if (!sweep)
		return (
			<p className="border-t pt-2.5 text-ink-3">{site.name} has not been swept. The first sweep runs within a minute of scheduler start.</p>
		);
	const regions = sweep.regions.length + sweep.failedRegions.length;
	const clean = sweep.orphans === 0 && sweep.failedRegions.length === 0;
	return (
		<div className="grid gap-1.5 border-t pt-2.5">
			<p className="text-pretty text-ink-2">
				{site.name}:{" "}
				<b className={cn("font-strong", sweep.orphans > 0 ? "text-risk-ink" : "text-ink")}>
					{clean
						? "no stray machines."
						: sweep.orphans > 0
							? `${sweep.orphans} stray ${sweep.orphans === 1 ? "machine" : "machines"} found and terminated.`
							: "some regions could not be read."}
				</b>
			</p>
			<p className="tabular text-xs text-pretty text-ink-3">
				Swept <Time atMs={sweep.atMs} />, {sweep.regions.length} of {regions} {regions === 1 ? "region" : "regions"}; {sweep.owned} of{" "}
				{sweep.seen} {sweep.seen === 1 ? "machine has a job" : "machines have a job"}.
				{site.lastOrphanAt && (
					<>
						{" "}
						Last stray machine <Time atMs={Date.parse(site.lastOrphanAt)} form="short" />.
					</>
				)}
			</p>
			{sweep.failedRegions.length > 0 && (
				<ul className="grid gap-1.5 rounded-lg bg-risk-soft px-3 py-2.5 text-xs">
					{sweep.failedRegions.map((f) => (
						<li key={f.region} className="flex gap-2">
							<Icon name="alert" className="mt-px size-3.5 text-risk-ink" />
							<span className="[overflow-wrap:anywhere]">
								<b className="font-strong">{f.region}</b> {f.message}
							</span>
						</li>
					))}
				</ul>
			)}
		</div>
	);
}
