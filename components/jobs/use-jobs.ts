"use client";
import { useCallback, useMemo } from "react";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC, useTRPCClient } from "#components/trpc/client.tsx";
import { useSuspenseInfiniteQuery } from "#components/trpc/infinite-queries.ts";
import type { JobView } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { readOn } from "#components/trpc/read-on.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { startAxis } from "./columns.tsx";
import { hourlyRates } from "./estimate.ts";
import { useToday } from "./facet-count.tsx";
import { groupSums } from "./group-sums.tsx";
import { ownOrder, parseSort, sortJobs } from "./order.ts";
import { jobPagesOptions, loadedGroups } from "./pages.ts";
import type { JobSearch } from "./search-params.ts";
import { groupsOf, isFiltered } from "./views.ts";

/** Rows, prices and sums for the URL's view. */
export function useJobs(search: JobSearch) {
	const trpc = useTRPC();
	const client = useTRPCClient();
	const todayMs = useToday();
	const nowMs = useTime(useCallback((now: number) => Math.floor(now / MINUTE_MS) * MINUTE_MS, []));
	const asked = useMemo(() => groupsOf(search, todayMs), [search, todayMs]);
	const pages = useSuspenseInfiniteQuery(jobPagesOptions(trpc.job.list.pathKey(), asked, (input) => client.job.list.query(input)));
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const { data: instances } = useSuspenseQuery(trpc.instance.list.queryOptions({ live: true, limit: 500 }));
	const { data: counts } = useSuspenseQuery(trpc.job.counts.queryOptions());
	const { data: me } = useSuspenseQuery(trpc.me.queryOptions());
	const rates = useMemo(() => hourlyRates(sites, instances.items), [sites, instances]);
	const loaded = useMemo(() => loadedGroups(asked, pages.data), [asked, pages.data]);
	const more = pages.hasNextPage;
	const groups = useMemo(() => {
		// A custom order of a partial list would hide rows not loaded yet.
		const sort = more ? null : parseSort(search.sort);
		return loaded.map(({ group, rows, complete }) => ({
			id: group.id,
			rows: sort ? sortJobs(rows, sort, rates, nowMs) : complete ? ownOrder(group.id, rows) : rows,
		}));
	}, [loaded, search.sort, more, rates, nowMs]);
	/** With labels, counts and sums; empty groups are omitted. */
	const labelled = (shown: readonly { id: string; rows: readonly JobView[] }[]) =>
		loaded.flatMap((each) => {
			const rows = shown.find((g) => g.id === each.group.id)?.rows ?? each.rows;
			if (rows.length === 0) return [];
			const waiting = !each.complete && !isFiltered(search) && each.group.id === "waiting";
			return [
				{
					id: each.group.id,
					label: each.group.label,
					count: waiting ? counts.admitted + counts.held + counts.queued : each.complete ? each.rows.length : rows.length,
					sums: groupSums(each, rates),
					rows,
				},
			];
		});
	return {
		key: JSON.stringify([asked, search.sort]),
		groups,
		labelled,
		rates,
		axisMs: startAxis(
			groups.flatMap((g) => g.rows),
			nowMs,
		),
		more,
		moreFailed: pages.isFetchNextPageError,
		readMore: () => {
			if (!pages.isFetchingNextPage) void readOn(pages.data.pages.length, pages.fetchNextPage);
		},
		maySubmit: me.kind === "person" && me.role !== "finance",
	};
}
