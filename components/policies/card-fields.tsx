"use client";
import { useId } from "react";
import { DraftInput } from "#components/submit/draft-input.tsx";
import { Field, Select } from "#components/ui/input.tsx";
import type { FieldPath, FieldValue } from "./edit-field.ts";
import type { Entry, ListName } from "./edit-rules.ts";
import { type CardField, fieldsOf, valueAt } from "./rule-fields.ts";

type Edit = (path: FieldPath, value: FieldValue | undefined) => void;
type CardFieldsProps = { list: ListName; entry: Entry; onEdit: Edit };

/** The values of one rule or budget, each written into its place in the text. */
export function CardFields({ list, entry, onEdit }: CardFieldsProps) {
	return (
		<div className="grid grid-cols-1 gap-x-3 gap-y-2.5 sm:grid-cols-2">
			{fieldsOf(list, entry.value).map((field) => (
				<OneField key={field.path.at(-1)} field={field} value={valueAt(entry.value, field.path)} onEdit={onEdit} />
			))}
		</div>
	);
}

function OneField({ field, value, onEdit }: { field: CardField; value: unknown; onEdit: Edit }) {
	const id = useId();
	const { label, as, options, placeholder, required = false, path } = field;
	const edit = (text: string) => {
		const next = writtenOf(as, text);
		if (next !== undefined || !required) onEdit(path, next);
	};
	if (as === "choice")
		return (
			<Field label={label} htmlFor={id}>
				<Select id={id} value={textOf(value)} onChange={(event) => edit(event.currentTarget.value)}>
					{!options?.some((o) => o.value === value) && <option value={textOf(value)}>{textOf(value) || "Choose"}</option>}
					{options?.map((o) => (
						<option key={o.value} value={o.value}>
							{o.label}
						</option>
					))}
				</Select>
			</Field>
		);
	return (
		<Field label={label} htmlFor={id} {...(as === "condition" ? { className: "col-span-full" } : {})}>
			<DraftInput
				id={id}
				mono={as !== "text" && as !== "number"}
				inputMode={as === "number" ? "decimal" : undefined}
				autoComplete="off"
				spellCheck={false}
				placeholder={placeholder}
				value={textOf(value)}
				onValue={edit}
			/>
		</Field>
	);
}

const textOf = (value: unknown): string =>
	value === undefined || value === null
		? ""
		: Array.isArray(value)
			? value.map(String).join(", ")
			: typeof value === "object"
				? ""
				: String(value);

/** What is typed as what is written: nothing for an empty field, a number only for what reads as one. */
function writtenOf(as: CardField["as"], text: string): FieldValue | undefined {
	const trimmed = text.trim();
	if (trimmed === "") return undefined;
	if (as === "list") {
		const items = trimmed.split(",").flatMap((each) => each.trim() || []);
		return items.length > 0 ? items : undefined;
	}
	// Also where a length of time is meant: what is typed is written, and the check then asks for its unit.
	return as !== "condition" && /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
}
