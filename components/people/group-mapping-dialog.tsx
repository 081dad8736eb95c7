"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type FieldErrors, fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Field, Select } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";
import { RoleOptions } from "./role-options.tsx";

export interface MappingDraft {
	group: string;
	/** A built-in role, or the name of a custom one; "": none. */
	role: string;
	team: string;
	/** The group can still be typed. */
	isNew: boolean;
}

function checkDraft({ group, role, team }: MappingDraft): FieldErrors {
	return {
		...(group.trim() === "" ? { group: "Enter the group's name or id." } : {}),
		...(role === "" && team === "" ? { role: "Choose a role, a team or both." } : {}),
	};
}

/** Maps a group, or changes its mapping. */
export function GroupMappingDialog({ draft: given, onClose }: { draft: MappingDraft; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const { data: teams } = useSuspenseQuery(trpc.team.names.queryOptions());
	const [draft, setDraft] = useState(given);
	const [isChecked, setIsChecked] = useState(false);
	const save = useMutation(
		trpc.groupMapping.set.mutationOptions({
			onSettled: () => {
				void client.invalidateQueries({ queryKey: trpc.groupMapping.pathKey() });
				void client.invalidateQueries({ queryKey: trpc.account.pathKey() });
			},
			onSuccess: ({ group }) => {
				notify({ tone: "done", title: `Mapped ${group}` });
				onClose();
			},
		}),
	);
	const own = checkDraft(draft);
	const errors = isChecked ? { ...fieldErrorsOf(save.error), ...own } : {};
	const set = (part: Partial<MappingDraft>) => setDraft((now) => ({ ...now, ...part }));
	const submit = () => {
		setIsChecked(true);
		const { group, role, team } = draft;
		if (Object.keys(own).length === 0) save.mutate({ group, role: role || null, team: team || null });
	};
	return (
		<FormDialog
			title={given.isNew ? "Map group" : `Change ${given.group}`}
			description="Applies to SCIM members now, to others at their next sign-in."
			save="Save"
			ready
			change={save}
			onSubmit={submit}
			onClose={onClose}
		>
			{given.isNew && (
				<TextField
					label="Group"
					id="mapping-group"
					value={draft.group}
					maxLength={256}
					placeholder="ml-engineers"
					hint="As the identity provider sends it. Entra ID sends ids."
					onChange={(group) => set({ group })}
					error={errors["group"]}
				/>
			)}
			<Field label="Role" htmlFor="mapping-role" error={errors["role"]}>
				<Select
					id="mapping-role"
					value={draft.role}
					aria-describedby="mapping-role-note"
					aria-invalid={errors["role"] ? true : undefined}
					onChange={(event) => set({ role: event.target.value })}
				>
					<option value="">None</option>
					<RoleOptions />
				</Select>
			</Field>
			<Field label="Team" htmlFor="mapping-team" error={errors["team"]}>
				<Select
					id="mapping-team"
					value={draft.team}
					aria-describedby="mapping-team-note"
					aria-invalid={errors["team"] ? true : undefined}
					onChange={(event) => set({ team: event.target.value })}
				>
					<option value="">None</option>
					{teams.map((team) => (
						<option key={team}>{team}</option>
					))}
				</Select>
			</Field>
		</FormDialog>
	);
}
