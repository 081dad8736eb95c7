import type { ReactNode } from "react";
import { Field, Input } from "#components/ui/input.tsx";

type DollarsFieldProps = {
	label: string;
	id: string;
	value: string;
	onChange: (typed: string) => void;
	/** Validation message; null if valid. */
	error: string | null;
	hint: ReactNode;
	className?: string;
};

/** Input for a dollar amount, parsed by `readDollars`. */
export function DollarsField({ label, id, value, onChange, error, hint, className }: DollarsFieldProps) {
	return (
		<Field label={label} htmlFor={id} hint={hint} error={error}>
			<Input
				id={id}
				inputMode="decimal"
				autoComplete="off"
				className={className}
				value={value}
				onChange={(event) => onChange(event.target.value)}
				aria-describedby={`${id}-note`}
				aria-invalid={error !== null || undefined}
			/>
		</Field>
	);
}
