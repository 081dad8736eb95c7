"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Money } from "#components/money/money.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState, ErrorState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { pipelineTone } from "./step-state.ts";

type Item = Outputs["pipeline"]["list"]["items"][number];

const KINDS = {
	Pipeline: { href: "/pipelines", icon: "pipelines", command: "spillway pipeline submit -f pipeline.yaml" },
	Sweep: { href: "/sweeps", icon: "sweeps", command: "spillway pipeline submit -f sweep.yaml" },
} as const;

/** Pipelines or sweeps, newest first: one row each. */
export function PipelinesPanel({ kind }: { kind: "Pipeline" | "Sweep" }) {
	const trpc = useTRPC();
	const { data, error, isLoading, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(
		trpc.pipeline.list.infiniteQueryOptions({ kind, limit: 50 }, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
	);
	const what = kind === "Pipeline" ? "pipelines" : "sweeps";
	const items = data?.pages.flatMap((page) => page.items) ?? [];
	return (
		<Panel>
			{error ? (
				<ErrorState title={`Could not load ${what}`} detail={describeError(error).detail} onRetry={() => void refetch()} />
			) : isLoading ? (
				<TableSkeleton rows={6} columns={6} label={`Loading ${what}`} />
			) : items.length === 0 ? (
				<EmptyState icon={KINDS[kind].icon} title={`No ${what} yet`}>
					Submit one: <code className="text-xs">{KINDS[kind].command}</code>
				</EmptyState>
			) : (
				<Rows items={items} kind={kind} />
			)}
			{hasNextPage && (
				<div className="border-t px-4 py-2.5">
					<Button onClick={() => void fetchNextPage()}>Show more</Button>
				</div>
			)}
		</Panel>
	);
}

function Rows({ items, kind }: { items: readonly Item[]; kind: keyof typeof KINDS }) {
	return (
		<Table aria-label={kind === "Pipeline" ? "Pipelines" : "Sweeps"}>
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>State</Th>
					<Th n>{kind === "Pipeline" ? "Runs done" : "Trials done"}</Th>
					<Th>Team</Th>
					<Th n>Cost</Th>
					<Th n>Submitted</Th>
					<Th n>Deadline</Th>
				</tr>
			</thead>
			<tbody>
				{items.map((item) => (
					<Tr key={item.id}>
						<Td phone="a">
							<Link
								href={`${KINDS[kind].href}/${item.id}`}
								className="font-strong underline decoration-line-strong underline-offset-4 hover:decoration-current"
							>
								{item.name}
							</Link>
						</Td>
						<Td phone="c">
							<Chip tone={pipelineTone(item.state)}>{item.state}</Chip>
						</Td>
						<Td n>
							{formatCount(item.counts.succeeded)} of {formatCount(item.runs)}
						</Td>
						<Td>{item.team}</Td>
						<Td n phone="b">
							<Money value={item.costMicroUsd} />
						</Td>
						<Td n phone="d">
							<Time atMs={Date.parse(item.submittedAt)} />
						</Td>
						<Td n>{item.deadlineAt && <Time atMs={Date.parse(item.deadlineAt)} form="short" />}</Td>
					</Tr>
				))}
			</tbody>
		</Table>
	);
}
