"use client";
import type { Site } from "#components/capacity/lead.ts";
import { NODES_SHOWN, nodePages } from "#components/capacity/node-pages.ts";
import { hasNodes } from "#components/capacity/own-kinds.ts";
import { MoreButton } from "#components/page/more-button.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC, useTRPCClient } from "#components/trpc/client.tsx";
import { useSuspenseInfiniteQuery } from "#components/trpc/infinite-queries.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Dot, type Tone } from "#components/ui/chip.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Meter } from "#components/ui/meter.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

type NodePage = Outputs["site"]["nodes"];
type Node = NodePage["items"][number];

const STATES: Readonly<Record<Node["state"], { label: string; tone: Tone }>> = {
	ready: { label: "ready", tone: "ok" },
	closed: { label: "closed", tone: "warn" },
	down: { label: "down", tone: "risk" },
};

/** Nodes of each owned site. Renders nothing without an owned site. */
export function NodePanels() {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	return sites.filter(hasNodes).map((site) => (
		<QueryBoundary
			key={site.id}
			what={`nodes of ${site.name}`}
			framed
			skeleton={
				<Panel title={`Nodes of ${site.name}`}>
					<TableSkeleton rows={4} columns={5} label={`Loading nodes of ${site.name}`} />
				</Panel>
			}
		>
			<NodesPanel site={site} />
		</QueryBoundary>
	));
}

/** Nodes that need attention come first so that the first page shows problems. */
function NodesPanel({ site: { id, name, lastSeenAt } }: { site: Site }) {
	const trpc = useTRPC();
	const client = useTRPCClient();
	const pages = useSuspenseInfiniteQuery(nodePages(trpc.site.nodes.pathKey(), id, (input) => client.site.nodes.query(input)));
	const nodes = pages.data.pages.flatMap((p) => p.items);
	const counts = pages.data.pages.at(-1)?.counts ?? { ready: 0, closed: 0, down: 0 };
	const rest = counts.ready + counts.closed + counts.down - nodes.length;
	return (
		<Panel
			id={`nodes-${id}`}
			title={`Nodes of ${name}`}
			sub={nodes.length > 0 && countsText(counts)}
			actions={
				nodes.length > 0 &&
				lastSeenAt !== null && (
					<span>
						seen <Time atMs={Date.parse(lastSeenAt)} />
					</span>
				)
			}
			{...(pages.hasNextPage && {
				footer: (
					<MoreButton pages={pages} what="more nodes" variant="link" size="sm">
						Show {formatCount(Math.min(NODES_SHOWN, rest))} more of {formatCount(rest)}
					</MoreButton>
				),
			})}
		>
			{nodes.length === 0 ? (
				<EmptyState icon="capacity" title="No nodes seen yet">
					Nodes appear here once the site responds.
				</EmptyState>
			) : (
				<Table aria-label={`Nodes of ${name}`}>
					<thead>
						<tr>
							<Th>Node</Th>
							<Th>State</Th>
							<Th n>GPUs used</Th>
							<Th className="w-1/6">
								<span className="sr-only">GPU use</span>
							</Th>
							<Th>Pool</Th>
							<Th>Reason</Th>
						</tr>
					</thead>
					<tbody>
						{nodes.map((node) => (
							<NodeRow key={node.name} node={node} />
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}

function NodeRow({ node }: { node: Node }) {
	const { label, tone } = STATES[node.state];
	return (
		<Tr>
			<Td phone="a" className="font-strong">
				{node.name}
			</Td>
			<Td phone="c">
				<span className="inline-flex items-center gap-2">
					<Dot tone={tone} />
					{label}
				</span>
			</Td>
			<Td n phone="b">
				{node.gpusUsed} <span className="text-ink-3">of {node.gpus}</span>
				<span className="text-ink-3 md:hidden"> GPUs</span>
			</Td>
			<Td>
				<Meter fill="owned" value={node.gpusUsed} max={Math.max(1, node.gpus)} label={`${node.gpusUsed} of ${node.gpus} GPUs used`} />
			</Td>
			<Td phone="d" className="text-ink-2">
				{node.poolId ?? <span className="text-ink-3">none of our jobs</span>}
			</Td>
			<Td phone="e" className="whitespace-normal! text-ink-3 [overflow-wrap:anywhere]">
				{node.reason}
			</Td>
		</Tr>
	);
}

function countsText({ ready, closed, down }: NodePage["counts"]): string {
	const parts = [
		[ready, "ready"],
		[closed, "cordoned"],
		[down, "down"],
	] as const;
	return parts
		.filter(([n]) => n > 0)
		.map(([n, what]) => `${formatCount(n)} ${what}`)
		.join(", ");
}
