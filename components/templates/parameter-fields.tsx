import { useId } from "react";
import type { FieldErrors } from "#components/page/field-errors.ts";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Field, Input, Select } from "#components/ui/input.tsx";
import { type Parameter, type ParameterValues, parameterError } from "./parameter-values.ts";

interface FieldsProps {
	parameters: readonly Parameter[];
	values: ParameterValues;
	errors: FieldErrors;
	onChange: (name: string, value: string) => void;
}

/** A control for each parameter by its type: choices are a list, booleans a checkbox. */
export function ParameterFields({ parameters, values, errors, onChange }: FieldsProps) {
	const form = useId();
	return (
		<div className="grid gap-3 md:grid-cols-2">
			{parameters.map((parameter) => {
				const { name } = parameter;
				const props = { parameter, id: `${form}-${name}`, value: values[name] ?? "", error: parameterError(errors, name) };
				return <ParameterField key={name} {...props} onChange={(value) => onChange(name, value)} />;
			})}
		</div>
	);
}

interface FieldProps {
	parameter: Parameter;
	id: string;
	value: string;
	error: string | undefined;
	onChange: (value: string) => void;
}

function ParameterField({ parameter, id, value, error, onChange }: FieldProps) {
	const { name, type, choices, description } = parameter;
	const isRequired = parameter.default === null;
	const hint = description ?? undefined;
	if (type === "boolean" && choices === null)
		return (
			<CheckField
				id={id}
				label={name}
				hint={error ?? hint}
				checked={value === "true"}
				onChange={(event) => onChange(String(event.target.checked))}
				className="self-center"
			/>
		);
	const control = { id, value, required: isRequired, "aria-invalid": error !== undefined, "aria-describedby": `${id}-note` };
	return (
		<Field label={isRequired ? `${name} (required)` : name} htmlFor={id} hint={hint} error={error}>
			{choices === null ? (
				<Input
					{...control}
					inputMode={type === "number" ? "decimal" : undefined}
					maxLength={256}
					autoComplete="off"
					onChange={(event) => onChange(event.target.value)}
				/>
			) : (
				<Select {...control} onChange={(event) => onChange(event.target.value)}>
					{isRequired && <option value="">Choose…</option>}
					{choices.map((choice) => (
						<option key={String(choice)} value={String(choice)}>
							{String(choice)}
						</option>
					))}
				</Select>
			)}
		</Field>
	);
}
