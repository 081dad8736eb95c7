"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type FieldErrors, fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Imports a CSV file of list prices. */
export function ImportPricesDialog({ onClose }: { onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [text, setText] = useState<string | null>(null);
	const [message, setMessage] = useState("");
	const [isChecked, setIsChecked] = useState(false);
	const save = useMutation(
		trpc.offer.importPrices.mutationOptions({
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.offer.pathKey() }),
			onSuccess: ({ providers, added, replaced, unchanged, older, ignored }) => {
				notify({
					tone: "done",
					title: `Imported prices of ${providers.join(", ")}`,
					detail: `${added} new, ${replaced} replaced, ${unchanged} unchanged, ${older} older, ${ignored} ignored. They apply within minutes.`,
				});
				onClose();
			},
		}),
	);
	const own: FieldErrors = {
		...(text === null ? { text: "Choose a CSV file." } : {}),
		...(message.trim() === "" ? { message: "Enter where the prices were published." } : {}),
	};
	const errors = isChecked ? { ...fieldErrorsOf(save.error), ...own } : {};
	const submit = () => {
		setIsChecked(true);
		if (text !== null && message.trim() !== "") save.mutate({ text, message });
	};
	return (
		<FormDialog
			title="Import list prices"
			description="CSV with provider, instance_type, region, capacity_type, usd_per_hour and as_of."
			save="Import"
			ready
			change={save}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label="File" htmlFor="prices-file" error={errors["text"]}>
				<Input
					id="prices-file"
					type="file"
					accept=".csv,text/csv"
					className="py-1"
					aria-describedby="prices-file-note"
					aria-invalid={errors["text"] ? true : undefined}
					onChange={async (event) => {
						const file = event.target.files?.[0];
						setText(file ? await file.text() : null);
					}}
				/>
			</Field>
			<TextField
				label="Source"
				id="prices-source"
				value={message}
				maxLength={200}
				placeholder="AWS price list"
				hint="Shown with each offer."
				onChange={setMessage}
				error={errors["message"]}
			/>
		</FormDialog>
	);
}
