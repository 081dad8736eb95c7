"use client";
import { type ReactNode, useState } from "react";
import { Time } from "#components/time/relative-time.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { type AccountRow, lastSignInMs, signInText } from "./account-draft.ts";
import { roleLabel } from "./role-options.tsx";
import { useAccountChanges } from "./use-change.ts";

interface TableProps {
	label: string;
	accounts: readonly AccountRow[];
	onEdit: (account: AccountRow) => void;
}

export function AccountsTable({ label, accounts, onEdit }: TableProps) {
	return (
		<Table aria-label={label}>
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Role</Th>
					<Th>Teams</Th>
					<Th>Sign-in</Th>
					<ThActions />
				</tr>
			</thead>
			<tbody>
				{accounts.map((account) => (
					<AccountLine key={account.id} account={account} onEdit={() => onEdit(account)} />
				))}
			</tbody>
		</Table>
	);
}

function AccountLine({ account, onEdit }: { account: AccountRow; onEdit: () => void }) {
	const isDisabled = account.disabledAt !== null;
	return (
		<Tr id={account.id} faded={isDisabled}>
			<Td phone="a" className="py-2">
				<b className="font-semibold">{account.name}</b>
				{isDisabled && <Chip className="ml-2">Deactivated</Chip>}
				<span className="block text-xs text-ink-3">{account.email}</span>
			</Td>
			<Td phone="b">{roleLabel(account)}</Td>
			<Td phone="c" className="max-w-72 truncate text-ink-2" title={account.teams.join(", ")}>
				{account.teams.length === 0 ? (account.role === "data_scientist" ? "No team" : "All teams") : account.teams.join(", ")}
			</Td>
			<Td phone="d">
				<SignIn account={account} />
			</Td>
			<Td phone="e" className="text-right max-md:pt-1.5! max-md:text-left">
				<Actions account={account} onEdit={onEdit} />
			</Td>
		</Tr>
	);
}

function SignIn({ account }: { account: AccountRow }): ReactNode {
	const last = lastSignInMs(account);
	const text = signInText(account);
	return (
		<>
			{text}
			{text === "Invited" && account.invitedUntil !== null && (
				<span className="block text-xs text-ink-3">
					expires <Time atMs={Date.parse(account.invitedUntil)} />
				</span>
			)}
			{last !== null && (
				<span className="block text-xs text-ink-3">
					<Time atMs={last} />
				</span>
			)}
		</>
	);
}

function Actions({ account, onEdit }: { account: AccountRow; onEdit: () => void }) {
	const { invite, disable, enable } = useAccountChanges();
	const [asked, setAsked] = useState(false);
	const isDisabled = account.disabledAt !== null;
	const text = signInText(account);
	const canInvite = account.kind === "person" && !isDisabled && (text === "Invited" || text === "Cannot sign in");
	return (
		<span className="inline-flex items-center gap-1.5">
			{canInvite && (
				<Button
					size="sm"
					busy={invite.isPending}
					onClick={() => invite.mutate({ id: account.id })}
					aria-label={`Invite ${account.name} again`}
				>
					Invite again
				</Button>
			)}
			<Button size="sm" onClick={onEdit} aria-label={`Edit ${account.name}`}>
				Edit
			</Button>
			<Button
				size="sm"
				busy={enable.isPending}
				onClick={() => (isDisabled ? enable.mutate({ id: account.id }) : setAsked(true))}
				aria-label={`${isDisabled ? "Reactivate" : "Deactivate"} ${account.name}`}
			>
				{isDisabled ? "Reactivate" : "Deactivate"}
			</Button>
			<Dialog
				open={asked}
				onClose={() => setAsked(false)}
				title={`Deactivate ${account.name}?`}
				description="Sessions end immediately and tokens stop working within 5 seconds. Running jobs continue under their team."
				actions={
					<>
						<Button onClick={() => setAsked(false)}>Keep</Button>
						<Button
							variant="danger"
							busy={disable.isPending}
							onClick={() => disable.mutate({ id: account.id }, { onSettled: () => setAsked(false) })}
						>
							Deactivate
						</Button>
					</>
				}
			/>
		</span>
	);
}
