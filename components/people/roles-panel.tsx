"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { notify } from "#components/ui/toast.tsx";
import { PERMISSIONS } from "#server/domain/permissions.ts";
import { LABELS } from "#server/domain/vocabulary.ts";
import { RoleDialog } from "./role-dialog.tsx";
import type { RoleDraft } from "./role-draft.ts";
import { useAccountsSettled } from "./use-change.ts";

/** Custom roles, with the built-in role that each restricts. */
export function RolesPanel() {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.role.list.queryOptions());
	const [open, setOpen] = useState<{ role: RoleDraft | null } | null>(null);
	const remove = useMutation(
		trpc.role.delete.mutationOptions({
			onSettled: useAccountsSettled(),
			onSuccess: ({ name }) => notify({ tone: "done", title: `Deleted the role ${name}` }),
			onError: (error) => notify({ tone: "failed", title: "Could not delete the role", detail: describeError(error).detail }),
		}),
	);
	const roles = data.flatMap(({ base, ...role }) => (base === null ? [] : [{ ...role, base }]));
	return (
		<Panel
			title="Custom roles"
			sub={roles.length > 0 ? String(roles.length) : undefined}
			actions={
				<Button size="sm" icon="plus" onClick={() => setOpen({ role: null })}>
					Add role
				</Button>
			}
		>
			{roles.length === 0 ? (
				<EmptyState icon="user" title="No custom roles">
					Add one to give people only some permissions of a built-in role.
				</EmptyState>
			) : (
				<Table aria-label="Custom roles">
					<thead>
						<tr>
							<Th>Role</Th>
							<Th>Based on</Th>
							<Th n>Permissions</Th>
							<Th n>Accounts</Th>
							<ThActions />
						</tr>
					</thead>
					<tbody>
						{roles.map(({ name, base, permissions, accounts }) => (
							<Tr key={name}>
								<Td phone="a" className="font-strong">
									{name}
								</Td>
								<Td phone="c">{LABELS[base]}</Td>
								<Td n phone="b">
									{permissions.length}
									<span className="text-ink-3 md:hidden"> {permissions.length === 1 ? "permission" : "permissions"}</span>
								</Td>
								<Td n phone="d">
									{accounts}
									<span className="text-ink-3 md:hidden"> {accounts === 1 ? "account" : "accounts"}</span>
								</Td>
								<Td phone="e">
									<span className="flex flex-wrap justify-end gap-2 max-md:justify-start">
										<Button
											size="sm"
											aria-label={`Edit ${name}`}
											onClick={() => setOpen({ role: { name, base, permissions: PERMISSIONS.filter((one) => permissions.includes(one)) } })}
										>
											Edit
										</Button>
										<Button
											size="sm"
											variant="danger"
											aria-label={`Delete ${name}`}
											busy={remove.isPending && remove.variables.name === name}
											onClick={() => remove.mutate({ name })}
										>
											Delete
										</Button>
									</span>
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
			{open && <RoleDialog role={open.role} onClose={() => setOpen(null)} />}
		</Panel>
	);
}
