"use client";
import { useId } from "react";
import { DraftInput } from "#components/ui/draft-input.tsx";
import { Field, Select } from "#components/ui/input.tsx";
import type { Entry, ListName } from "#server/domain/policy-entries.ts";
import type { FieldPath, FieldValue } from "./edit-field.ts";
import { type CardField, fieldsOf, valueAt } from "./rule-fields.ts";

type Edit = (path: FieldPath, value: FieldValue | undefined) => void;
type CardFieldsProps = { list: ListName; entry: Entry; onEdit: Edit };

/** Fields of a rule or budget; each edits its place in the YAML. */
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
					{!options?.some((o) => o.value === value) && <option value={textOf(value)}>{textOf(value) || "Select"}</option>}
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

/** Parses field input: undefined if empty, a number only if it parses as one. */
function writtenOf(as: CardField["as"], text: string): FieldValue | undefined {
	const trimmed = text.trim();
	if (trimmed === "") return undefined;
	if (as === "list") {
		const items = trimmed.split(",").flatMap((each) => each.trim() || []);
		return items.length > 0 ? items : undefined;
	}
	// Durations too: the input is written as typed and validation asks for a unit.
	return as !== "condition" && /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
}
