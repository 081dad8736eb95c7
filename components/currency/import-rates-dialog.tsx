"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type FieldErrors, fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Imports a CSV file of exchange rates. */
export function ImportRatesDialog({ onClose }: { onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [text, setText] = useState<string | null>(null);
	const [message, setMessage] = useState("");
	const [isChecked, setIsChecked] = useState(false);
	const save = useMutation(
		trpc.currency.importRates.mutationOptions({
			onSettled: () => {
				void client.invalidateQueries({ queryKey: trpc.currency.pathKey() });
				void client.invalidateQueries({ queryKey: trpc.spend.pathKey() });
			},
			onSuccess: ({ currencies, added, replaced, unchanged }) => {
				notify({
					tone: "done",
					title: `Imported rates for ${currencies.join(", ")}`,
					detail: `${added} new, ${replaced} replaced, ${unchanged} unchanged`,
				});
				onClose();
			},
		}),
	);
	const own: FieldErrors = {
		...(text === null ? { text: "Choose a CSV file." } : {}),
		...(message.trim() === "" ? { message: "Enter where the rates were published." } : {}),
	};
	const errors = isChecked ? { ...fieldErrorsOf(save.error), ...own } : {};
	const submit = () => {
		setIsChecked(true);
		if (text !== null && message.trim() !== "") save.mutate({ text, message });
	};
	return (
		<FormDialog
			title="Import exchange rates"
			description="CSV with date,currency,rate (units for one US dollar), or the ECB's eurofxref files."
			save="Import"
			ready
			change={save}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label="File" htmlFor="rates-file" error={errors["text"]}>
				<Input
					id="rates-file"
					type="file"
					accept=".csv,text/csv"
					className="py-1"
					aria-describedby="rates-file-note"
					aria-invalid={errors["text"] ? true : undefined}
					onChange={async (event) => {
						const file = event.target.files?.[0];
						setText(file ? await file.text() : null);
					}}
				/>
			</Field>
			<TextField
				label="Source"
				id="rates-source"
				value={message}
				maxLength={200}
				placeholder="ECB reference rates"
				hint="Shown in reports."
				onChange={setMessage}
				error={errors["message"]}
			/>
		</FormDialog>
	);
}
