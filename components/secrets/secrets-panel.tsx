"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "#components/page/confirm-dialog.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { notify } from "#components/ui/toast.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import type { SecretRow } from "./secret-row.ts";

/** Secrets by team; values are never shown. `ownTeams`: the teams that the person may change; null: all. */
export function SecretsPanel({ ownTeams }: { ownTeams: readonly string[] | null }) {
	const trpc = useTRPC();
	const { data: secrets } = useSuspenseQuery(trpc.secret.list.queryOptions());
	const { data: names } = useSuspenseQuery(trpc.team.names.queryOptions());
	const teams = ownTeams ?? names;
	const [open, setOpen] = useState<{ secret: SecretRow | null } | null>(null);
	const [removed, setRemoved] = useState<SecretRow | null>(null);
	return (
		<Panel
			title="Secrets"
			sub={secrets.length > 0 ? String(secrets.length) : undefined}
			actions={
				teams.length > 0 && (
					<Button size="sm" icon="plus" onClick={() => setOpen({ secret: null })}>
						Add secret
					</Button>
				)
			}
		>
			{secrets.length === 0 ? (
				<EmptyState icon="lock" title="No secrets yet">
					Tokens and keys that jobs receive as variables or files.
				</EmptyState>
			) : (
				<Table aria-label="Secrets">
					<thead>
						<tr>
							<Th>Name</Th>
							<Th>Team</Th>
							<Th>Value</Th>
							<Th>Changed</Th>
							<Th>Last used</Th>
							<ThActions />
						</tr>
					</thead>
					<tbody>
						{secrets.map((secret) => (
							<SecretLine
								key={`${secret.team}/${secret.name}`}
								secret={secret}
								onReplace={() => setOpen({ secret })}
								onDelete={() => setRemoved(secret)}
							/>
						))}
					</tbody>
				</Table>
			)}
			{open && <SecretDialog secret={open.secret} teams={teams} onClose={() => setOpen(null)} />}
			{removed && <DeleteDialog secret={removed} onClose={() => setRemoved(null)} />}
		</Panel>
	);
}

function SecretLine({ secret, onReplace, onDelete }: { secret: SecretRow; onReplace: () => void; onDelete: () => void }) {
	const { team, name, source, changedAt, lastUsedAt } = secret;
	return (
		<Tr>
			<Td phone="a" className="py-2 font-mono text-xs">
				{name}
			</Td>
			<Td phone="c">{team}</Td>
			<Td phone="e" className="text-ink-2">
				{sourceText(source)}
			</Td>
			<Td className="text-ink-2">
				<Time atMs={Date.parse(changedAt)} />
			</Td>
			<Td phone="d" className="text-ink-2">
				{lastUsedAt === null ? "Never used" : <Time atMs={Date.parse(lastUsedAt)} />}
			</Td>
			<Td phone="b" className="text-right whitespace-nowrap">
				<Button size="sm" onClick={onReplace} aria-label={`Replace ${team}/${name}`}>
					Replace
				</Button>{" "}
				<Button size="sm" onClick={onDelete} aria-label={`Delete ${team}/${name}`}>
					Delete
				</Button>
			</Td>
		</Tr>
	);
}

function sourceText(source: SecretRow["source"]): string {
	if (source.kind === "stored") return "Stored here";
	return source.kind === "file" ? `File ${source.path}` : `Vault ${source.path}#${source.key}`;
}

function DeleteDialog({ secret: { team, name }, onClose }: { secret: SecretRow; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const remove = useMutation(
		trpc.secret.delete.mutationOptions({
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.secret.pathKey() }),
			onSuccess: () => {
				notify({ tone: "done", title: `Deleted ${name}` });
				onClose();
			},
		}),
	);
	return (
		<ConfirmDialog
			title={`Delete ${name}?`}
			description={`Jobs of ${team} that name it fail when they start. Running jobs keep their value.`}
			action="Delete"
			change={remove}
			onConfirm={() => remove.mutate({ team, name })}
			onClose={onClose}
		/>
	);
}
