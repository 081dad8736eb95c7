"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type FieldErrors, fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Field, Select } from "#components/ui/input.tsx";
import { NAME } from "#server/domain/schema/values.ts";
import { useAccountsSettled } from "./use-change.ts";

export type TeamRow = Outputs["team"]["list"][number];

interface TeamDraft {
	name: string;
	title: string;
	costCenter: string;
	parent: string;
}

function checkTeam(draft: TeamDraft): FieldErrors {
	if (NAME.test(draft.name)) return {};
	return { name: 'Use 1 to 63 letters, digits, ".", "_" or "-", starting and ending with a letter or digit.' };
}

type DialogProps = { team: TeamRow | null; teams: readonly TeamRow[]; onClose: () => void };

/** Adds a team (`team` null) or changes one. */
export function TeamDialog({ team, teams, onClose }: DialogProps) {
	const trpc = useTRPC();
	const onSettled = useAccountsSettled();
	const options = { onSettled, onSuccess: onClose };
	const create = useMutation(trpc.team.create.mutationOptions(options));
	const update = useMutation(trpc.team.update.mutationOptions(options));
	const [draft, setDraft] = useState<TeamDraft>({
		...{ name: team?.name ?? "", title: team?.title ?? "", costCenter: team?.costCenter ?? "", parent: team?.parent ?? "" },
	});
	const [isChecked, setIsChecked] = useState(false);
	const change = team === null ? create : update;
	const own = checkTeam(draft);
	const errors = isChecked ? { ...fieldErrorsOf(change.error), ...own } : {};
	const set = (part: Partial<TeamDraft>) => setDraft((now) => ({ ...now, ...part }));
	const submit = () => {
		setIsChecked(true);
		if (Object.keys(own).length > 0) return;
		const changes = { title: draft.title.trim() || null, costCenter: draft.costCenter.trim() || null, parent: draft.parent || null };
		if (team === null) create.mutate({ name: draft.name, ...changes });
		else update.mutate({ name: team.name, changes });
	};
	const hasFieldError = Object.keys(fieldErrorsOf(change.error)).length > 0;
	return (
		<FormDialog
			title={team === null ? "Add team" : `Edit ${team.title ?? team.name}`}
			description="Teams pay for their jobs. The audit log records changes."
			save={team === null ? "Add" : "Save"}
			ready
			change={{ isPending: change.isPending, error: hasFieldError ? null : change.error }}
			onSubmit={submit}
			onClose={onClose}
		>
			<TextField
				label="Name"
				id="team-name"
				value={draft.name}
				disabled={team !== null}
				onChange={(name) => set({ name })}
				error={errors["name"]}
				hint={
					team === null
						? "Used in job files, policies and charges. It cannot be changed later."
						: "Charges and policies use it, so it stays."
				}
			/>
			<TextField
				label="Title (optional)"
				id="team-title"
				value={draft.title}
				maxLength={100}
				onChange={(title) => set({ title })}
				error={errors["title"]}
				hint="What people read, such as Computer Vision."
			/>
			<TextField
				label="Cost center (optional)"
				id="team-cost-center"
				value={draft.costCenter}
				maxLength={64}
				onChange={(costCenter) => set({ costCenter })}
				error={errors["costCenter"]}
			/>
			<Field label="Part of (optional)" htmlFor="team-parent" error={errors["parent"]}>
				<Select
					id="team-parent"
					value={draft.parent}
					aria-describedby={errors["parent"] ? "team-parent-note" : undefined}
					onChange={(event) => set({ parent: event.target.value })}
				>
					<option value="">No parent team</option>
					{teams
						.filter(({ name }) => name !== team?.name)
						.map(({ name, title }) => (
							<option key={name} value={name}>
								{title ?? name}
							</option>
						))}
				</Select>
			</Field>
		</FormDialog>
	);
}
