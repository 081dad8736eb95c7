"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ConfirmDialog } from "#components/page/confirm-dialog.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { RunPanel } from "./run-panel.tsx";

type Detail = Outputs["template"]["get"];

/** One template: its parameters to fill in, its versions and its file. */
export function TemplateScreen({ id }: { id: string }) {
	const trpc = useTRPC();
	const { data, error, refetch } = useQuery(trpc.template.get.queryOptions({ id }));
	const crumbs = [
		{ label: "Pipelines", href: "/pipelines" },
		{ label: "Templates", href: "/pipelines/templates" },
	];
	return (
		<>
			<PageHeader crumbs={crumbs} title={data?.name ?? id} actions={data?.source && <DeleteButton detail={data} />} />
			<PageBody>
				{error ? (
					<Panel>
						<ErrorState title="Could not load the template" detail={describeError(error).detail} onRetry={() => void refetch()} />
					</Panel>
				) : data ? (
					<Sections detail={data} />
				) : (
					<Panel>
						<TextSkeleton lines={8} label="Loading template" className="py-5" />
					</Panel>
				)}
			</PageBody>
		</>
	);
}

function Sections({ detail }: { detail: Detail }) {
	return (
		<>
			<RunPanel key={detail.id} detail={detail} />
			<VersionsPanel detail={detail} />
			{detail.source !== null && (
				<Panel title="File" sub={`version ${detail.version}`}>
					<pre className="max-h-120 overflow-auto border-t px-4 py-3 font-mono text-xs">{detail.source}</pre>
				</Panel>
			)}
		</>
	);
}

function VersionsPanel({ detail: { versions } }: { detail: Detail }) {
	return (
		<Panel title="Versions">
			<Table aria-label="Versions">
				<thead>
					<tr>
						<Th>Version</Th>
						<Th>Saved by</Th>
						<Th>Description</Th>
						<Th n>Saved</Th>
					</tr>
				</thead>
				<tbody>
					{versions.map(({ version, savedBy, description, savedAt }) => (
						<Tr key={version}>
							<Td phone="a">{version}</Td>
							<Td phone="c">{savedBy}</Td>
							<Td>{description}</Td>
							<Td n phone="b">
								<Time atMs={Date.parse(savedAt)} />
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</Panel>
	);
}

function DeleteButton({ detail: { id, name } }: { detail: Detail }) {
	const trpc = useTRPC();
	const router = useRouter();
	const [isOpen, setIsOpen] = useState(false);
	const client = useQueryClient();
	const remove = useMutation(
		trpc.template.remove.mutationOptions({
			onSuccess: () => {
				void client.invalidateQueries({ queryKey: trpc.template.list.pathKey() });
				router.push("/pipelines/templates");
			},
		}),
	);
	return (
		<>
			<Button onClick={() => setIsOpen(true)}>Delete</Button>
			{isOpen && (
				<ConfirmDialog
					title={`Delete ${name}?`}
					description="Its runs stay."
					action="Delete"
					change={remove}
					onConfirm={() => remove.mutate({ id })}
					onClose={() => setIsOpen(false)}
				/>
			)}
		</>
	);
}
