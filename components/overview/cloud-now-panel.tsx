"use client";
import { machinesCsv } from "#components/capacity/export-csv.ts";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { StateGlyph } from "#components/job-state/state-mark.tsx";
import { Money } from "#components/money/money.tsx";
import { CLOUD_NOW_QUERY } from "#components/overview/range.ts";
import { EmptyState } from "#components/page/states.tsx";
import { Place } from "#components/place/place.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";

const SHOWN = 8;

/** Machines that may cost money now, each with its job. */
export function CloudNowPanel({ seesAll }: { seesAll: boolean }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.instance.list.queryOptions(CLOUD_NOW_QUERY));
	const rest = data.items.length - SHOWN;
	return (
		<Panel
			title="In the cloud now"
			sub={seesAll ? undefined : "your teams"}
			actions={
				<>
					<Link href="/sites" className="hover:text-ink">
						Capacity
					</Link>
					{data.items.length > 0 && (
						<CsvButton size="sm" label="Cloud machines as CSV" fileName="spillway-machines.csv" text={() => machinesCsv(data.items)} />
					)}
				</>
			}
			footer={rest > 0 ? <Link href="/sites">{`${rest}${data.nextCursor ? " or more" : ""} more`}</Link> : undefined}
		>
			{data.items.length === 0 ? (
				<EmptyState
					icon="capacity"
					title={seesAll ? "No cloud machines running" : "No cloud machines running for your teams"}
					className="py-7"
				>
					Machines appear here from request to termination.
				</EmptyState>
			) : (
				<ul className="px-4 pb-2">
					{data.items.slice(0, SHOWN).map((machine) => (
						<li key={machine.id} className="hairline-b grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 py-2 last:border-b-0">
							{machine.jobId === null ? (
								<span className="truncate font-strong">
									{machine.warm?.stopped ? "Kept stopped" : "Kept warm"} for rule {machine.warm?.ruleId}
								</span>
							) : (
								<Link href={`/jobs/${machine.jobId}`} className="truncate font-strong hover:underline">
									{machine.jobName}
								</Link>
							)}
							<span className="num">
								<Money value={machine.microUsdPerHour} kind="price" per="/h" />
							</span>
							<span className="flex min-w-0 items-center gap-1.5 text-xs text-ink-3">
								<Place capacity={machine.capacityType} provider={machine.provider} region={machine.region} word={false} quiet>
									<span className="text-ink-3 max-md:hidden">
										{machine.gpus} × {machine.accelerator}
									</span>
								</Place>
								{machine.state !== "ready" && (
									<span className="inline-flex items-center gap-1 whitespace-nowrap">
										<StateGlyph state={machine.state} className="size-3" /> {machine.state}
									</span>
								)}
							</span>
							<span className="num text-xs text-ink-3">
								{machine.jobId === null ? "until" : "expires"}{" "}
								<Time atMs={Date.parse((machine.jobId === null && machine.warm?.until) || machine.expiresAt)} form="short" />
							</span>
						</li>
					))}
				</ul>
			)}
		</Panel>
	);
}
