import type { ComponentProps, ReactNode } from "react";
import { Field, Input } from "#components/ui/input.tsx";

type TextFieldProps = {
	label: string;
	id: string;
	value: string;
	onChange: (value: string) => void;
	hint?: ReactNode;
	error?: string | undefined;
} & Pick<ComponentProps<"input">, "type" | "disabled" | "autoComplete" | "maxLength" | "list" | "placeholder">;

/** A text input with its label, and its hint or error. */
export function TextField({ label, id, value, onChange, hint, error, autoComplete = "off", ...rest }: TextFieldProps) {
	return (
		<Field label={label} htmlFor={id} hint={hint} error={error}>
			<Input
				{...rest}
				id={id}
				value={value}
				autoComplete={autoComplete}
				onChange={(event) => onChange(event.target.value)}
				aria-describedby={hint || error ? `${id}-note` : undefined}
				aria-invalid={error ? true : undefined}
			/>
		</Field>
	);
}
