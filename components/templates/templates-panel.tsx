"use client";
import { useQuery } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState, ErrorState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Templates of the caller's teams. */
export function TemplatesPanel() {
	const trpc = useTRPC();
	const { data, error, refetch } = useQuery(trpc.template.list.queryOptions({}));
	return (
		<Panel>
			{error ? (
				<ErrorState title="Could not load templates" detail={describeError(error).detail} onRetry={() => void refetch()} />
			) : data === undefined ? (
				<TableSkeleton rows={4} columns={5} label="Loading templates" />
			) : data.length === 0 ? (
				<EmptyState icon="pipelines" title="No templates yet" action={{ label: "Choose a pipeline", href: "/pipelines" }}>
					Save one on the page of a pipeline, or with <code className="text-xs">spillway templates save -f FILE</code>
				</EmptyState>
			) : (
				<Rows items={data} />
			)}
		</Panel>
	);
}

function Rows({ items }: { items: Outputs["template"]["list"] }) {
	return (
		<Table aria-label="Templates">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Description</Th>
					<Th>Kind</Th>
					<Th>Team</Th>
					<Th>Saved by</Th>
					<Th n>Saved</Th>
				</tr>
			</thead>
			<tbody>
				{items.map((item) => (
					<Tr key={item.id}>
						<Td phone="a">
							<Link
								href={`/pipelines/templates/${item.id}`}
								className="font-strong underline decoration-line-strong underline-offset-4 hover:decoration-current"
							>
								{item.name}
							</Link>
						</Td>
						<Td phone="e">{item.description}</Td>
						<Td phone="b">{item.kind}</Td>
						<Td phone="c">{item.team}</Td>
						<Td>{item.savedBy}</Td>
						<Td n phone="d">
							<Time atMs={Date.parse(item.savedAt)} />
						</Td>
					</Tr>
				))}
			</tbody>
		</Table>
	);
}
