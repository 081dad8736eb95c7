"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Field, Select } from "#components/ui/input.tsx";
import type { StoreKind } from "#server/domain/store.ts";
import { STORE_FIELDS, type StoreField, storeInput } from "./store-fields.ts";

const KINDS: Record<StoreKind, string> = {
	s3: "Amazon S3 or compatible",
	gcs: "Google Cloud Storage",
	azblob: "Azure Blob Storage",
	webdav: "WebDAV",
	folder: "Mounted folder",
};

/** Adds a store after the server has checked it. */
export function StoreDialog({ teams, onClose }: { teams: readonly string[]; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [kind, setKind] = useState<StoreKind>("s3");
	const [team, setTeam] = useState(teams[0] ?? "");
	const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
	const add = useMutation(
		trpc.store.add.mutationOptions({
			onSuccess: onClose,
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.store.pathKey() }),
		}),
	);
	const errors = fieldErrorsOf(add.error);
	const set = (name: string, value: string) => setTexts((now) => ({ ...now, [name]: value }));
	return (
		<FormDialog
			title="Add store"
			description="Spillway writes, reads and deletes a small file first. Credentials are stored encrypted."
			save="Check and add"
			ready
			change={{ isPending: add.isPending, error: Object.keys(errors).length > 0 ? null : add.error }}
			onSubmit={() => add.mutate(storeInput(kind, team, texts["name"] ?? "", texts))}
			onClose={onClose}
		>
			<Field label="Team" htmlFor="store-team">
				<Select id="store-team" value={team} onChange={(event) => setTeam(event.target.value)}>
					{teams.map((name) => (
						<option key={name} value={name}>
							{name}
						</option>
					))}
				</Select>
			</Field>
			<Field label="Kind" htmlFor="store-kind">
				<Select id="store-kind" value={kind} onChange={(event) => setKind(event.target.value as StoreKind)}>
					{Object.entries(KINDS).map(([value, label]) => (
						<option key={value} value={value}>
							{label}
						</option>
					))}
				</Select>
			</Field>
			<TextField label="Name" id="store-name" value={texts["name"] ?? ""} onChange={(value) => set("name", value)} error={errors["name"]} />
			{STORE_FIELDS[kind].map((field) => (
				<StoreTextField
					key={field.name}
					field={field}
					value={texts[field.name]}
					error={errors[`${field.at}.${field.name}`]}
					onChange={(value) => set(field.name, value)}
				/>
			))}
		</FormDialog>
	);
}

interface StoreTextFieldProps {
	field: StoreField;
	value: string | undefined;
	error: string | undefined;
	onChange: (value: string) => void;
}

export function StoreTextField({ field: { name, label, hint, hidden }, value, error, onChange }: StoreTextFieldProps) {
	return (
		<TextField
			label={label}
			id={`store-${name}`}
			value={value ?? ""}
			onChange={onChange}
			error={error}
			{...(hint && { hint })}
			{...(hidden && { type: "password" as const })}
		/>
	);
}
