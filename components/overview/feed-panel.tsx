"use client";
import { useCallback, useState } from "react";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { Money } from "#components/money/money.tsx";
import { feedCsv } from "#components/overview/export-csv.ts";
import { type FeedLine, prepareFeed } from "#components/overview/feed.ts";
import { FEED_QUERY } from "#components/overview/range.ts";
import { EmptyState } from "#components/page/states.tsx";
import { PlaceSwatch } from "#components/place/place.tsx";
import { useTime } from "#components/time/clock.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Dot } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { underBase } from "#components/ui/under-base.ts";
import { DAY_MS } from "#server/kernel/units.ts";

const LINES = 12;

/** Recent activity, newest first. New entries wait while the pointer or keyboard focus is inside. */
export function FeedPanel() {
	const trpc = useTRPC();
	const { data: events } = useSuspenseQuery(trpc.overview.events.queryOptions(FEED_QUERY));
	const [held, setHeld] = useState<typeof events | null>(null);
	const shown = held ?? events;
	const lines = prepareFeed(shown, LINES);
	const newest = shown[0]?.id ?? 0;
	const fresh = held ? events.filter((e) => e.id > newest).length : 0;
	const hold = () => setHeld((now) => now ?? events);
	const release = () => setHeld(null);
	return (
		<Panel
			title="Recent activity"
			actions={
				<>
					{fresh > 0 ? (
						<button type="button" onClick={release} className="font-strong text-accent hover:underline">
							{fresh} new
						</button>
					) : (
						<Link href="/jobs" className="hover:text-ink">
							All jobs
						</Link>
					)}
					{lines.length > 0 && (
						<CsvButton
							size="sm"
							label="Recent activity as CSV"
							fileName="spillway-events.csv"
							text={() => feedCsv(lines, `${window.location.origin}${underBase("")}`)}
						/>
					)}
				</>
			}
		>
			{lines.length === 0 ? (
				<EmptyState title="No activity yet" action={{ label: "Submit job", href: "/jobs/new" }}>
					Job and machine events appear here.
				</EmptyState>
			) : (
				<ol
					className="px-4 pb-2.5"
					onPointerEnter={(event) => event.pointerType === "mouse" && hold()}
					onPointerLeave={release}
					onFocus={hold}
					onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && release()}
				>
					<Lines lines={lines} />
				</ol>
			)}
		</Panel>
	);
}

function Lines({ lines }: { lines: readonly FeedLine[] }) {
	const oldest = lines.at(-1)?.atMs ?? 0;
	const today = useTime(useCallback((now: number) => Math.floor(now / DAY_MS) === Math.floor(oldest / DAY_MS), [oldest]));
	return lines.map((line) => (
		<li
			key={line.id}
			className={cn(
				"grid items-baseline gap-x-2.5 py-1.75",
				today ? "grid-cols-[2.5rem_0.625rem_1fr_auto]" : "grid-cols-[4.25rem_0.625rem_1fr_auto]",
			)}
		>
			<Time atMs={line.atMs} form={today ? "clock" : "short"} className="text-ink-3" />
			{line.capacity && line.tone !== "risk" ? <PlaceSwatch capacity={line.capacity} /> : <Mark tone={line.tone} />}
			<p className="min-w-0 text-pretty text-ink-2 [overflow-wrap:anywhere]">
				{line.before && `${line.before} `}
				<Link href={line.href} className="font-strong text-ink hover:underline">
					{line.name}
				</Link>{" "}
				{line.text}
			</p>
			<span className="num max-md:hidden">{line.costMicroUsd && <Money value={line.costMicroUsd} />}</span>
		</li>
	));
}

function Mark({ tone }: { tone: FeedLine["tone"] }) {
	if (tone) return <Dot tone={tone} />;
	return <span aria-hidden className="mark-exact inline-block size-2 rounded-xs border-[1.5px] border-line-strong" />;
}
