"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "sonner";
import { formatBytes } from "#components/job/job-checkpoints.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button, IconButton } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { LimitsDialog, type TeamUse } from "./limits-dialog.tsx";
import { StoreDialog } from "./store-dialog.tsx";

type Storage = Outputs["store"]["list"];
type Store = Storage["stores"][number];

/** Stores of teams, and what each team keeps. `canManage`: the person may change them. */
export function StoresPanel({ canManage }: { canManage: boolean }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.store.list.queryOptions());
	const [adding, setAdding] = useState(false);
	const [limits, setLimits] = useState<TeamUse | null>(null);
	return (
		<div className="grid gap-4">
			<Panel
				title="Stores"
				sub="Results and checkpoints"
				actions={
					canManage && (
						<Button size="sm" icon="plus" onClick={() => setAdding(true)}>
							Add store
						</Button>
					)
				}
			>
				{data.stores.length === 0 ? (
					<EmptyState icon="capacity" title="No stores yet">
						Results and checkpoints are kept in Spillway's own folder.
					</EmptyState>
				) : (
					<Table aria-label="Stores">
						<thead>
							<tr>
								<Th>Store</Th>
								<Th>Address</Th>
								<Th>Bytes go</Th>
								<Th>Checked</Th>
								<Th>
									<span className="sr-only">Actions</span>
								</Th>
							</tr>
						</thead>
						<tbody>
							{data.stores.map((store) => (
								<StoreRow key={store.id} store={store} canManage={canManage} />
							))}
						</tbody>
					</Table>
				)}
			</Panel>
			<Panel title="Results kept" sub="By team">
				<Table aria-label="Results kept by team">
					<thead>
						<tr>
							<Th>Team</Th>
							<Th n>Results</Th>
							<Th n>Size</Th>
							<Th n>Quota</Th>
							<Th>Kept</Th>
							<Th>
								<span className="sr-only">Actions</span>
							</Th>
						</tr>
					</thead>
					<tbody>
						{data.teams.map((use) => (
							<Tr key={use.team}>
								<Td phone="a">{use.team}</Td>
								<Td n>{use.results}</Td>
								<Td n phone="b">
									{formatBytes(use.bytes)}
								</Td>
								<Td n>{use.quotaGiB === null ? "None" : formatBytes(use.quotaGiB * 1024 ** 3)}</Td>
								<Td phone="c">{use.keepDays === null ? "Until deleted" : `${use.keepDays} days`}</Td>
								<Td phone="d" className="text-right">
									{canManage && (
										<Button size="sm" variant="link" aria-label={`Set limits of ${use.team}`} onClick={() => setLimits(use)}>
											Limits
										</Button>
									)}
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			</Panel>
			{adding && <StoreDialog teams={data.teams.map(({ team }) => team)} onClose={() => setAdding(false)} />}
			{limits && <LimitsDialog use={limits} onClose={() => setLimits(null)} />}
		</div>
	);
}

function StoreRow({ store, canManage }: { store: Store; canManage: boolean }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const options = {
		onSettled: () => void client.invalidateQueries({ queryKey: trpc.store.pathKey() }),
		onError: (error: { message: string }) => void toast.error(error.message),
	};
	const check = useMutation(
		trpc.store.check.mutationOptions({
			...options,
			onSuccess: ({ problem }) => void (problem === null ? toast.success(`${store.name} works`) : toast.error(problem)),
		}),
	);
	const change = useMutation(trpc.store.change.mutationOptions(options));
	const remove = useMutation(trpc.store.remove.mutationOptions(options));
	return (
		<Tr>
			<Td phone="a">
				<b className="font-semibold">{store.name}</b> <span className="text-ink-3">{store.team}</span>
				{store.isDefault && <span className="block text-xs text-ink-3">Default</span>}
			</Td>
			<Td phone="c" className="font-mono text-xs">
				{store.address}
			</Td>
			<Td>{store.direct ? "Directly" : "Through Spillway"}</Td>
			<Td phone="b">
				{store.problem !== null && <span className="block text-risk-ink">{store.problem}</span>}
				{store.checkedAt === null ? "Not checked" : <Time atMs={store.checkedAt.getTime()} form="short" />}
			</Td>
			<Td phone="d" className="text-right">
				{canManage && (
					<span className="inline-flex items-center gap-1.5">
						<Button size="sm" busy={check.isPending} aria-label={`Check ${store.name}`} onClick={() => check.mutate({ id: store.id })}>
							Check
						</Button>
						<Button size="sm" variant="link" onClick={() => change.mutate({ id: store.id, isDefault: !store.isDefault })}>
							{store.isDefault ? "Do not use" : "Use"}
						</Button>
						<IconButton size="sm" icon="x" label={`Remove ${store.name}`} onClick={() => remove.mutate({ id: store.id })} />
					</span>
				)}
			</Td>
		</Tr>
	);
}
