"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "#components/page/confirm-dialog.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button, IconButton } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { orderTeams } from "./order-teams.ts";
import { TeamDialog, type TeamRow } from "./team-dialog.tsx";
import { useAccountsSettled } from "./use-change.ts";

const INDENT_REM = 1.25;

/** Teams with members and cost centers. `canManage`: the person may change them. */
export function TeamsPanel({ canManage }: { canManage: boolean }) {
	const trpc = useTRPC();
	const { data: teams } = useSuspenseQuery(trpc.team.list.queryOptions());
	const [open, setOpen] = useState<{ team: TeamRow | null } | null>(null);
	const [removed, setRemoved] = useState<TeamRow | null>(null);
	return (
		<Panel
			title="Teams"
			sub={teams.length > 0 ? String(teams.length) : undefined}
			actions={
				canManage && (
					<Button size="sm" icon="plus" onClick={() => setOpen({ team: null })}>
						Add team
					</Button>
				)
			}
		>
			{teams.length === 0 ? (
				<EmptyState icon="user" title="No teams yet">
					{canManage ? "Jobs and charges belong to teams. Add the first one." : "An administrator adds you to a team."}
				</EmptyState>
			) : (
				<Table aria-label="Teams">
					<thead>
						<tr>
							<Th>Team</Th>
							<Th>Cost center</Th>
							<Th n>Members</Th>
							{canManage && <ThActions />}
						</tr>
					</thead>
					<tbody>
						{orderTeams(teams).map(({ team, depth }) => (
							<TeamLine
								key={team.name}
								team={team}
								depth={depth}
								{...(canManage && { onEdit: () => setOpen({ team }), onRemove: () => setRemoved(team) })}
							/>
						))}
					</tbody>
				</Table>
			)}
			{open && <TeamDialog team={open.team} teams={teams} onClose={() => setOpen(null)} />}
			{removed && <DeleteDialog team={removed} onClose={() => setRemoved(null)} />}
		</Panel>
	);
}

type LineProps = { team: TeamRow; depth: number; onEdit?: () => void; onRemove?: () => void };

function TeamLine({ team, depth, onEdit, onRemove }: LineProps) {
	const title = team.title ?? team.name;
	return (
		<Tr>
			<Td phone="a" className="py-2">
				<span className="block" style={{ paddingLeft: `${depth * INDENT_REM}rem` }}>
					<b className="font-semibold">{title}</b>
					{team.title !== null && <span className="block text-xs text-ink-3">{team.name}</span>}
				</span>
			</Td>
			<Td phone="c" className="text-ink-2">
				<span className="md:hidden">{team.costCenter !== null && "Cost center "}</span>
				{team.costCenter ?? <span className="max-md:hidden">–</span>}
			</Td>
			<Td n phone="b">
				{team.members}
				<span className="text-ink-3 md:hidden"> {team.members === 1 ? "member" : "members"}</span>
			</Td>
			{onEdit && (
				<Td phone="d" className="text-right">
					<span className="inline-flex items-center gap-1.5">
						<Button size="sm" onClick={onEdit} aria-label={`Edit ${title}`}>
							Edit
						</Button>
						<IconButton size="sm" icon="x" label={`Delete ${title}`} onClick={onRemove} />
					</span>
				</Td>
			)}
		</Tr>
	);
}

function DeleteDialog({ team, onClose }: { team: TeamRow; onClose: () => void }) {
	const trpc = useTRPC();
	const onSettled = useAccountsSettled();
	const remove = useMutation(trpc.team.delete.mutationOptions({ onSettled, onSuccess: onClose }));
	return (
		<ConfirmDialog
			title={`Delete ${team.title ?? team.name}?`}
			description="Only a team that has nothing, such as members, jobs, charges or templates, can be deleted."
			action="Delete"
			change={remove}
			onConfirm={() => remove.mutate({ name: team.name })}
			onClose={onClose}
		/>
	);
}
