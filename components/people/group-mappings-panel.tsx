"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { notify } from "#components/ui/toast.tsx";
import { CheckGroups } from "./check-groups.tsx";
import { GroupMappingDialog, type MappingDraft } from "./group-mapping-dialog.tsx";
import { roleLabel } from "./role-options.tsx";

/** Which groups of the identity provider give which role and team. */
export function GroupMappingsPanel() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const { data } = useSuspenseQuery(trpc.groupMapping.list.queryOptions());
	const [open, setOpen] = useState<MappingDraft | null>(null);
	const remove = useMutation(
		trpc.groupMapping.remove.mutationOptions({
			onSettled: () => {
				void client.invalidateQueries({ queryKey: trpc.groupMapping.pathKey() });
				void client.invalidateQueries({ queryKey: trpc.account.pathKey() });
			},
			onSuccess: ({ group }) => notify({ tone: "done", title: `Removed the mapping of ${group}` }),
			onError: (error) => notify({ tone: "failed", title: "Could not remove the mapping", detail: describeError(error).detail }),
		}),
	);
	const unmapped = data.seen.filter(({ isMapped }) => !isMapped);
	return (
		<Panel
			title="Groups"
			sub={data.mappings.length > 0 ? String(data.mappings.length) : undefined}
			actions={
				<Button size="sm" icon="plus" onClick={() => setOpen({ group: "", role: "", team: "", isNew: true })}>
					Map group
				</Button>
			}
			footer={<CheckGroups />}
		>
			<p className="px-4 py-2.5 text-pretty text-ink-3">
				Groups of the identity provider give people their role and teams at sign-in.
				{data.teamPrefix !== "" && ` A group ${data.teamPrefix}<team> gives membership of the team.`}
			</p>
			{data.mappings.length === 0 ? (
				<EmptyState icon="user" title="No groups mapped yet">
					Map a group to let its people sign in.
				</EmptyState>
			) : (
				<Table aria-label="Groups">
					<thead>
						<tr>
							<Th>Group</Th>
							<Th>Role</Th>
							<Th>Team</Th>
							<ThActions />
						</tr>
					</thead>
					<tbody>
						{data.mappings.map(({ group, role, customRole, team, source }) => (
							<Tr key={group}>
								<Td phone="a" className="font-strong">
									{group}
								</Td>
								<Td phone="c">{role ? roleLabel({ role, customRole }) : <span className="text-ink-3">no role</span>}</Td>
								<Td phone="d">{team ?? <span className="text-ink-3">no team</span>}</Td>
								<Td phone="e">
									<span className="flex flex-wrap justify-end gap-2 max-md:justify-start">
										{source === "process" && <span className="self-center text-xs text-ink-3">from server settings</span>}
										<Button
											size="sm"
											aria-label={`Change ${group}`}
											onClick={() => setOpen({ group, role: customRole ?? role ?? "", team: team ?? "", isNew: false })}
										>
											Change
										</Button>
										{source === "settings" && (
											<Button
												size="sm"
												variant="danger"
												aria-label={`Remove ${group}`}
												busy={remove.isPending && remove.variables.group === group}
												onClick={() => remove.mutate({ group })}
											>
												Remove
											</Button>
										)}
									</span>
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
			{unmapped.length > 0 && (
				<div className="hairline-t px-4 py-2.5">
					<p className="pb-1.5 text-ink-3">Seen by SCIM, not mapped</p>
					<ul className="flex flex-wrap gap-2">
						{unmapped.map(({ group, people }) => (
							<li key={group}>
								<Button
									size="sm"
									aria-label={`Map ${group}`}
									onClick={() => setOpen({ group, role: "", team: "", isNew: true })}
								>{`${group} (${people})`}</Button>
							</li>
						))}
					</ul>
				</div>
			)}
			{open && <GroupMappingDialog draft={open} onClose={() => setOpen(null)} />}
		</Panel>
	);
}
