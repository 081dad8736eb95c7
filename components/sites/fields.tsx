"use client";
import { Field, Input, Select, Textarea } from "#components/ui/input.tsx";
import type { SiteField } from "./form-values.ts";

export function TextField(props: {
	name: string;
	label: string;
	hint: string;
	value: string;
	onChange: (value: string) => void;
	error: string | undefined;
}) {
	const { name, label, hint, value, onChange, error } = props;
	return (
		<Field label={label} htmlFor={name} hint={hint} error={error}>
			<Input
				id={name}
				value={value}
				onChange={(e) => onChange(e.target.value)}
				aria-describedby={`${name}-note`}
				aria-invalid={error ? true : undefined}
			/>
		</Field>
	);
}

export function SettingField(props: {
	at: string;
	field: SiteField;
	value: string;
	onChange: (value: string) => void;
	error: string | undefined;
}) {
	const { at, field, value, onChange, error } = props;
	const common = {
		id: at,
		value,
		"aria-describedby": `${at}-note`,
		"aria-invalid": error ? (true as const) : undefined,
		placeholder: field.placeholder,
	};
	const label = field.required ? field.label : `${field.label} (optional)`;
	return (
		<Field label={label} htmlFor={at} hint={field.hint} error={error}>
			{field.options ? (
				<Select id={at} value={value} onChange={(e) => onChange(e.target.value)} aria-describedby={`${at}-note`}>
					<option value="">default</option>
					{field.options.map((option) => (
						<option key={option}>{option}</option>
					))}
				</Select>
			) : field.input === "text" ? (
				<Input {...common} onChange={(e) => onChange(e.target.value)} spellCheck={false} autoComplete="off" />
			) : field.input === "secret" ? (
				<Input {...common} type="password" onChange={(e) => onChange(e.target.value)} autoComplete="new-password" />
			) : (
				<Textarea {...common} mono rows={3} onChange={(e) => onChange(e.target.value)} spellCheck={false} autoComplete="off" />
			)}
		</Field>
	);
}
