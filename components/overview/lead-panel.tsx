"use client";
import { useCallback } from "react";
import { type LeadPart, prepareLead } from "#components/overview/lead.ts";
import { Lead } from "#components/page/page-header.tsx";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Link } from "#components/ui/link.tsx";
import { SECOND_MS } from "#server/kernel/units.ts";

/** Refetch interval: a silent scheduler sends no event, so only time reveals it. */
const LOOK_EVERY_MS = 5 * SECOND_MS;

/** Summary of status and current cost. */
export function OverviewLead({ seesAll }: { seesAll: boolean }) {
	const trpc = useTRPC();
	const { data: summary } = useSuspenseQuery({ ...trpc.overview.summary.queryOptions(), refetchInterval: LOOK_EVERY_MS });
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const nowMs = useTime(
		useCallback((now: number) => Math.max(summary.nowMs, Math.floor(now / LOOK_EVERY_MS) * LOOK_EVERY_MS), [summary.nowMs]),
	);
	return (
		<Lead>
			{prepareLead(summary, sites, nowMs, seesAll).map((part, i) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence have no name but their place.
				<Piece key={i} part={part} />
			))}
		</Lead>
	);
}

export function Piece({ part }: { part: LeadPart }) {
	if (part.href) return <Link href={part.href}>{part.text}</Link>;
	return part.strong ? <b>{part.text}</b> : part.text;
}
