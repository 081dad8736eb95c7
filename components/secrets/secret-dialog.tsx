"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type FieldErrors, fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Field, Select, Textarea } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";
import { secretValueProblem } from "#server/domain/job-secret.ts";
import { NAME, NAME_RULE } from "#server/domain/schema/values.ts";
import type { SecretRow } from "./secret-row.ts";

interface Draft {
	team: string;
	name: string;
	kind: "stored" | "file" | "vault";
	value: string;
	path: string;
	key: string;
}

function checkDraft({ name, kind, value, path, key }: Draft): FieldErrors {
	const problem = kind === "stored" ? secretValueProblem(value) : null;
	return {
		...(NAME.test(name) ? {} : { name: `The name ${NAME_RULE}.` }),
		...(problem === null ? {} : { value: `The value ${problem}.` }),
		...(kind !== "stored" && path.trim() === "" ? { path: "Enter the path below the team's folder." } : {}),
		...(kind === "vault" && key.trim() === "" ? { key: "Enter the key in the Vault secret." } : {}),
	};
}

function inputOf({ team, name, kind, value, path, key }: Draft) {
	if (kind === "stored") return { team, name, value };
	return kind === "file" ? { team, name, file: path.trim() } : { team, name, vault: { path: path.trim(), key: key.trim() } };
}

/** Adds a secret, or replaces the value of one. */
export function SecretDialog({ secret, teams, onClose }: { secret: SecretRow | null; teams: readonly string[]; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [draft, setDraft] = useState<Draft>({
		team: secret?.team ?? teams[0] ?? "",
		name: secret?.name ?? "",
		kind: secret?.source.kind ?? "stored",
		value: "",
		path: secret && secret.source.kind !== "stored" ? secret.source.path : "",
		key: secret?.source.kind === "vault" ? secret.source.key : "",
	});
	const [isChecked, setIsChecked] = useState(false);
	const save = useMutation(
		trpc.secret.set.mutationOptions({
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.secret.pathKey() }),
			onSuccess: ({ name }) => {
				notify({ tone: "done", title: `Saved ${name}` });
				onClose();
			},
		}),
	);
	const own = checkDraft(draft);
	const errors = isChecked ? { ...fieldErrorsOf(save.error), ...own } : {};
	const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
	const submit = () => {
		setIsChecked(true);
		if (Object.keys(own).length === 0) save.mutate(inputOf(draft));
	};
	return (
		<FormDialog
			title={secret ? `Replace ${secret.name}` : "Add secret"}
			description="Encrypted at rest and never shown again. Jobs that start from now on receive the new value."
			save="Save"
			ready
			change={save}
			onSubmit={submit}
			onClose={onClose}
		>
			{!secret && (
				<>
					<Field label="Team" htmlFor="secret-team" error={errors["team"]}>
						<Select id="secret-team" value={draft.team} onChange={(event) => set({ team: event.target.value })}>
							{teams.map((team) => (
								<option key={team}>{team}</option>
							))}
						</Select>
					</Field>
					<TextField
						label="Name"
						id="secret-name"
						value={draft.name}
						maxLength={63}
						placeholder="hf-token"
						onChange={(name) => set({ name })}
						error={errors["name"]}
					/>
				</>
			)}
			<SourceFields draft={draft} errors={errors} set={set} />
		</FormDialog>
	);
}

function SourceFields({ draft, errors, set }: { draft: Draft; errors: FieldErrors; set: (part: Partial<Draft>) => void }) {
	return (
		<>
			<Field label="Where the value is" htmlFor="secret-kind">
				<Select id="secret-kind" value={draft.kind} onChange={(event) => set({ kind: event.target.value as Draft["kind"] })}>
					<option value="stored">Stored in Spillway</option>
					<option value="vault">HashiCorp Vault or OpenBao</option>
					<option value="file">File on the server</option>
				</Select>
			</Field>
			{draft.kind === "stored" && (
				<Field label="Value" htmlFor="secret-value" error={errors["value"]} hint="At least 8 characters.">
					<Textarea
						id="secret-value"
						mono
						autoComplete="off"
						spellCheck={false}
						value={draft.value}
						onChange={(event) => set({ value: event.target.value })}
						aria-describedby="secret-value-note"
						aria-invalid={errors["value"] ? true : undefined}
					/>
				</Field>
			)}
			{draft.kind !== "stored" && (
				<TextField
					label="Path"
					id="secret-path"
					value={draft.path}
					hint="Below the team's folder."
					onChange={(path) => set({ path })}
					error={errors["path"] ?? errors["file"] ?? errors["vault.path"]}
				/>
			)}
			{draft.kind === "vault" && (
				<TextField
					label="Key"
					id="secret-key"
					value={draft.key}
					onChange={(key) => set({ key })}
					error={errors["key"] ?? errors["vault.key"]}
				/>
			)}
		</>
	);
}
