import { useState } from "react";
import { type FieldErrors, fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { TextField } from "./text-field.tsx";

type ImportDialogProps = {
	title: string;
	/** The columns of the file. */
	description: string;
	/** "prices": what the file contains, and the prefix of the fields' ids. */
	what: string;
	/** An example of a source. */
	placeholder: string;
	/** Where the source is shown. */
	hint: string;
	save: { isPending: boolean; error: unknown; mutate: (input: { text: string; message: string }) => void };
	onClose: () => void;
};

/** Imports a CSV file with the source that published it. */
export function ImportDialog({ title, description, what, placeholder, hint, save, onClose }: ImportDialogProps) {
	const [text, setText] = useState<string | null>(null);
	const [message, setMessage] = useState("");
	const [isChecked, setIsChecked] = useState(false);
	const own: FieldErrors = {
		...(text === null ? { text: "Choose a CSV file." } : {}),
		...(message.trim() === "" ? { message: `Enter where the ${what} were published.` } : {}),
	};
	const errors = isChecked ? { ...fieldErrorsOf(save.error), ...own } : {};
	const submit = () => {
		setIsChecked(true);
		if (text !== null && message.trim() !== "") save.mutate({ text, message });
	};
	return (
		<FormDialog title={title} description={description} save="Import" ready change={save} onSubmit={submit} onClose={onClose}>
			<Field label="File" htmlFor={`${what}-file`} error={errors["text"]}>
				<Input
					id={`${what}-file`}
					type="file"
					accept=".csv,text/csv"
					className="py-1"
					aria-describedby={errors["text"] ? `${what}-file-note` : undefined}
					aria-invalid={errors["text"] ? true : undefined}
					onChange={async (event) => {
						const file = event.target.files?.[0];
						setText(file ? await file.text() : null);
					}}
				/>
			</Field>
			<TextField
				label="Source"
				id={`${what}-source`}
				value={message}
				maxLength={200}
				placeholder={placeholder}
				hint={hint}
				onChange={setMessage}
				error={errors["message"]}
			/>
		</FormDialog>
	);
}
