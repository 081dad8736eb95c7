"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type FieldErrors, fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Field, Select } from "#components/ui/input.tsx";
import type { Role } from "#server/domain/vocabulary.ts";
import { ownValue } from "#server/kernel/own-value.ts";
import { type AccountDraft, type AccountRow, checkAccount, draftOf } from "./account-draft.ts";
import { RoleOptions } from "./role-options.tsx";
import { useAccountsSettled } from "./use-change.ts";

const ROLE_HINT: Record<Role, string> = {
	platform: "Full access, including people, sites and policies.",
	data_scientist: "Submits and reads jobs of the chosen teams.",
	finance: "Reads all costs, changes budgets and closes months.",
};

type DialogProps = { account: AccountRow | null; service: boolean; onClose: () => void };

/** Adds an account (`account` null) or changes one. */
export function AccountDialog({ account, service, onClose }: DialogProps) {
	const trpc = useTRPC();
	const onSettled = useAccountsSettled();
	const options = { onSettled, onSuccess: onClose };
	const create = useMutation(trpc.account.create.mutationOptions(options));
	const update = useMutation(trpc.account.update.mutationOptions(options));
	const [draft, setDraft] = useState(() => draftOf(account, service));
	const [isChecked, setIsChecked] = useState(false);
	const change = account === null ? create : update;
	const own = checkAccount(draft);
	const errors = isChecked ? { ...fieldErrorsOf(change.error), ...own } : {};
	const submit = () => {
		setIsChecked(true);
		if (Object.keys(own).length > 0) return;
		const common = { name: draft.name.trim(), role: draft.role, teams: [...draft.teams] };
		if (account === null) create.mutate({ ...common, email: draft.email.trim(), service });
		else update.mutate({ id: account.id, changes: common });
	};
	const what = service ? "service account" : "person";
	const hasFieldError = Object.keys(fieldErrorsOf(change.error)).length > 0;
	return (
		<FormDialog
			title={account === null ? `Add ${what}` : `Edit ${account.name}`}
			description={
				account === null
					? service
						? "Programs use it through tokens. It cannot sign in."
						: "The person gets access at the next single sign-on with this verified address, within 7 days."
					: "Changes take effect immediately. The audit log records them."
			}
			save={account === null ? "Add" : "Save"}
			ready
			change={{ isPending: change.isPending, error: hasFieldError ? null : change.error }}
			onSubmit={submit}
			onClose={onClose}
		>
			<AccountFields draft={draft} set={(part) => setDraft((now) => ({ ...now, ...part }))} errors={errors} account={account} />
		</FormDialog>
	);
}

interface FieldsProps {
	draft: AccountDraft;
	set: (part: Partial<AccountDraft>) => void;
	errors: FieldErrors;
	account: AccountRow | null;
}

function AccountFields({ draft, set, errors, account }: FieldsProps) {
	const fromGroups = account?.identities.some((identity) => identity.linkedAt !== null) ?? false;
	return (
		<>
			<TextField
				label="Email address"
				id="account-email"
				type={draft.service ? "text" : "email"}
				value={draft.email}
				disabled={account !== null}
				onChange={(email) => set({ email })}
				error={errors["email"]}
				hint={draft.service && account === null ? "An address that identifies the program, such as ci@example.com." : undefined}
			/>
			<TextField
				label="Name"
				id="account-name"
				value={draft.name}
				maxLength={128}
				onChange={(name) => set({ name })}
				error={errors["name"]}
			/>
			<fieldset disabled={fromGroups} className="grid gap-3">
				<legend className="sr-only">Access</legend>
				{fromGroups && <p className="text-ink-2">Role and teams come from the identity provider's groups. Change them there.</p>}
				<Field
					label="Role"
					htmlFor="account-role"
					hint={ownValue(ROLE_HINT, draft.role) ?? "Has only the permissions of this custom role."}
					error={errors["role"]}
				>
					<Select
						id="account-role"
						value={draft.role}
						aria-describedby="account-role-note"
						onChange={(event) => set({ role: event.target.value })}
					>
						<RoleOptions />
					</Select>
				</Field>
				<TeamsField value={draft.teams} onChange={(teams) => set({ teams })} error={errors["teams"]} />
			</fieldset>
		</>
	);
}

interface TeamsProps {
	value: readonly string[];
	onChange: (teams: readonly string[]) => void;
	error: string | undefined;
}

function TeamsField({ value, onChange, error }: TeamsProps) {
	const trpc = useTRPC();
	const { data: teams } = useSuspenseQuery(trpc.team.list.queryOptions());
	return (
		<fieldset className="grid gap-1.5" aria-describedby={error ? "account-teams-note" : undefined}>
			<legend className="mb-1 font-medium text-ink-2">Teams</legend>
			{teams.length === 0 && <p className="text-xs text-ink-3">No teams yet. Add one under Teams.</p>}
			<div className="grid max-h-40 gap-1.5 overflow-y-auto md:grid-cols-2">
				{teams.map((team) => (
					<CheckField
						key={team.name}
						label={team.title ?? team.name}
						checked={value.includes(team.name)}
						onChange={(event) => onChange(event.target.checked ? [...value, team.name] : value.filter((name) => name !== team.name))}
					/>
				))}
			</div>
			{error && (
				<p id="account-teams-note" role="alert" className="text-xs text-risk-ink">
					{error}
				</p>
			)}
		</fieldset>
	);
}
