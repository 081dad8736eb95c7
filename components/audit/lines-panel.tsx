"use client";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useEffect, useState } from "react";
import { MoreButton } from "#components/page/more-button.tsx";
import { EmptyState, NoResults } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseInfiniteQuery } from "#components/trpc/infinite-queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Th } from "#components/ui/table.tsx";
import { LineRow } from "./line-row.tsx";
import { auditQuery, auditSearchParams, isFiltered, NO_FILTERS } from "./search-params.ts";

const LOOK_EVERY_MS = 3_000;

/**
 * Audit entries, newest first. New ones are inserted only while the list is scrolled to the top and no entry is open;
 * otherwise a button loads them.
 */
export function LinesPanel() {
	const trpc = useTRPC();
	const [search, setSearch] = useQueryStates(auditSearchParams);
	const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
	const query = auditQuery(search);
	const pages = useSuspenseInfiniteQuery(
		trpc.audit.list.infiniteQueryOptions(query, { getNextPageParam: (last) => last.nextCursor ?? undefined }),
	);
	const { data: newest } = useQuery(trpc.audit.list.queryOptions({ ...query, limit: 1 }, { refetchInterval: LOOK_EVERY_MS }));
	const lines = pages.data.pages.flatMap((p) => p.items);
	const [first] = lines;
	const latest = newest?.items[0];
	const isNew =
		latest !== undefined && (first === undefined || latest.id > first.id || (latest.id === first.id && !first.seal && latest.seal));
	const { refetch, isFetching } = pages;
	const still = open.size === 0;
	// The window is the scroll container.
	useEffect(() => {
		if (isNew && still && !isFetching && window.scrollY < 40) void refetch();
	}, [isNew, still, isFetching, refetch]);
	const toggle = (id: number): void =>
		setOpen((before) => (before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id])));
	if (lines.length === 0) {
		return (
			<Panel>
				{isFiltered(search) ? (
					<NoResults what="lines" onClear={() => void setSearch(NO_FILTERS)} />
				) : (
					<EmptyState icon="audit" title="No audit entries yet" action={{ label: "Submit a job", href: "/jobs/new" }}>
						Every change by a user, token or the scheduler is recorded here.
					</EmptyState>
				)}
			</Panel>
		);
	}
	return (
		<Panel
			title="Entries"
			sub="newest first"
			actions={
				isNew && !still ? (
					<Button size="sm" icon="refresh" busy={isFetching} onClick={() => void refetch()}>
						Show new entries
					</Button>
				) : null
			}
		>
			<Table aria-label="Audit entries">
				<thead>
					<tr>
						<Th>Action</Th>
						<Th>Subject</Th>
						<Th>Actor</Th>
						<Th>Source</Th>
						<Th n>Time</Th>
						<Th n>Seal</Th>
					</tr>
				</thead>
				<tbody>
					{lines.map((line) => (
						<LineRow key={line.id} line={line} open={open.has(line.id)} onToggle={() => toggle(line.id)} />
					))}
				</tbody>
			</Table>
			{pages.hasNextPage && (
				<div className="border-t px-4 py-2.5 text-center">
					<MoreButton pages={pages} what="older entries">
						Older entries
					</MoreButton>
				</div>
			)}
		</Panel>
	);
}
