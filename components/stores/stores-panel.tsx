"use client";
import { useState } from "react";
import { formatBytes } from "#components/job/job-checkpoints.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { CredentialsDialog } from "./credentials-dialog.tsx";
import { LimitsDialog, type TeamUse } from "./limits-dialog.tsx";
import { PricesPanel } from "./prices-panel.tsx";
import { RemoveStoreDialog } from "./remove-store-dialog.tsx";
import { StoreDialog } from "./store-dialog.tsx";
import { type Store, StoreRow } from "./store-row.tsx";

/** Stores of teams, their prices, and each team's storage use. `canManage`, `canPrice`: the user can change them, their prices. */
export function StoresPanel({ canManage, canPrice }: { canManage: boolean; canPrice: boolean }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.store.list.queryOptions());
	const [adding, setAdding] = useState(false);
	const [replaced, setReplaced] = useState<Store | null>(null);
	const [removed, setRemoved] = useState<Store | null>(null);
	const [limits, setLimits] = useState<TeamUse | null>(null);
	return (
		<div className="grid gap-4">
			<Panel
				title="Stores"
				sub="for results and checkpoints"
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
								<Th>Transfer</Th>
								<Th>Checked</Th>
								<ThActions />
							</tr>
						</thead>
						<tbody>
							{data.stores.map((store) => (
								<StoreRow
									key={store.id}
									store={store}
									canManage={canManage}
									onReplace={() => setReplaced(store)}
									onRemove={() => setRemoved(store)}
								/>
							))}
						</tbody>
					</Table>
				)}
			</Panel>
			<PricesPanel storage={data} canChange={canPrice} />
			<Panel title="Results kept" sub="by team">
				<Table aria-label="Results kept by team">
					<thead>
						<tr>
							<Th>Team</Th>
							<Th n>Results</Th>
							<Th n>Size</Th>
							<Th n>Quota</Th>
							<Th>Kept</Th>
							<ThActions />
						</tr>
					</thead>
					<tbody>
						{data.teams.map((use) => (
							<Tr key={use.team}>
								<Td phone="a">{use.team}</Td>
								<Td n>{use.results}</Td>
								<Td n phone="b">
									{formatBytes(use.bytes)}
									{use.quotaGiB !== null && <span className="text-ink-3 md:hidden"> of {formatBytes(use.quotaGiB * 1024 ** 3)}</span>}
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
			{replaced && <CredentialsDialog store={replaced} onClose={() => setReplaced(null)} />}
			{removed && <RemoveStoreDialog store={removed} onClose={() => setRemoved(null)} />}
			{limits && <LimitsDialog use={limits} onClose={() => setLimits(null)} />}
		</div>
	);
}
