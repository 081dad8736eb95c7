"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Field, Select } from "#components/ui/input.tsx";
import type { Permission } from "#server/domain/permissions.ts";
import { LABELS, ROLES, type Role } from "#server/domain/vocabulary.ts";
import { areasFor, checkRole, type RoleDraft, withBase } from "./role-draft.ts";
import { useAccountsSettled } from "./use-change.ts";

/** Adds a custom role (`role` null) or changes its permissions. */
export function RoleDialog({ role, onClose }: { role: RoleDraft | null; onClose: () => void }) {
	const trpc = useTRPC();
	const options = { onSettled: useAccountsSettled(), onSuccess: onClose };
	const create = useMutation(trpc.role.create.mutationOptions(options));
	const update = useMutation(trpc.role.update.mutationOptions(options));
	const [draft, setDraft] = useState<RoleDraft>(role ?? { name: "", base: "platform", permissions: [] });
	const [isChecked, setIsChecked] = useState(false);
	const change = role === null ? create : update;
	const own = checkRole(draft);
	const fields = fieldErrorsOf(change.error);
	const errors = isChecked ? { ...fields, ...own } : {};
	const submit = () => {
		setIsChecked(true);
		if (Object.keys(own).length > 0) return;
		const { name, base } = draft;
		const permissions = [...draft.permissions];
		if (role === null) create.mutate({ name, base, permissions });
		else update.mutate({ name, permissions });
	};
	return (
		<FormDialog
			title={role === null ? "Add role" : `Edit ${role.name}`}
			description="A custom role has some of a built-in role's permissions."
			save={role === null ? "Add" : "Save"}
			ready
			change={{ isPending: change.isPending, error: Object.keys(fields).length > 0 ? null : change.error }}
			onSubmit={submit}
			onClose={onClose}
		>
			<TextField
				label="Name"
				id="role-name"
				value={draft.name}
				maxLength={63}
				disabled={role !== null}
				onChange={(name) => setDraft((now) => ({ ...now, name }))}
				error={errors["name"]}
			/>
			<Field label="Based on" htmlFor="role-base" error={errors["base"]}>
				<Select
					id="role-base"
					value={draft.base}
					disabled={role !== null}
					aria-describedby={errors["base"] ? "role-base-note" : undefined}
					onChange={(event) => setDraft((now) => withBase(now, event.target.value as Role))}
				>
					{ROLES.map((name) => (
						<option key={name} value={name}>
							{LABELS[name]}
						</option>
					))}
				</Select>
			</Field>
			<PermissionFields
				base={draft.base}
				value={draft.permissions}
				error={errors["permissions"]}
				onChange={(permissions) => setDraft((now) => ({ ...now, permissions }))}
			/>
		</FormDialog>
	);
}

interface PermissionFieldsProps {
	base: Role;
	value: readonly Permission[];
	error: string | undefined;
	onChange: (permissions: readonly Permission[]) => void;
}

function PermissionFields({ base, value, error, onChange }: PermissionFieldsProps) {
	return (
		<>
			{areasFor(base).map(({ area, permissions }) => (
				<fieldset key={area} className="grid gap-1.5" aria-describedby={error ? "role-permissions-note" : undefined}>
					<legend className="mb-1 font-medium text-ink-2">{area}</legend>
					<div className="grid gap-1.5 md:grid-cols-2">
						{permissions.map(({ permission, label }) => (
							<CheckField
								key={permission}
								label={label}
								hint={permission}
								className="content-start"
								checked={value.includes(permission)}
								onChange={(event) => onChange(event.target.checked ? [...value, permission] : value.filter((one) => one !== permission))}
							/>
						))}
					</div>
				</fieldset>
			))}
			{error && (
				<p id="role-permissions-note" role="alert" className="text-xs text-risk-ink">
					{error}
				</p>
			)}
		</>
	);
}
