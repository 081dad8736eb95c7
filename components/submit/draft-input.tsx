"use client";
import { type ComponentProps, useState } from "react";
import { Input, Textarea } from "#components/ui/input.tsx";

type DraftProps = {
	value: string;
	/** Called at every change; what it is given may not be what the field shows after it (a number, a cleaned text). */
	onValue: (value: string) => void;
	lines?: boolean;
	mono?: boolean;
} & Omit<ComponentProps<"input">, "value" | "onChange" | "ref">;

/**
 * A field whose value lives in the YAML. While it has the focus it shows what is being typed; after that what the YAML says.
 */
export function DraftInput({ value, onValue, lines = false, onFocus, onBlur, ...rest }: DraftProps) {
	const [typed, setTyped] = useState<string | null>(null);
	const shared = {
		value: typed ?? value,
		onChange: (event: { currentTarget: { value: string } }) => {
			setTyped(event.currentTarget.value);
			onValue(event.currentTarget.value);
		},
	};
	if (lines) {
		const { type: _type, ...more } = rest as ComponentProps<"textarea"> & { type?: string; mono?: boolean };
		return <Textarea {...more} {...shared} onFocus={onFocus as never} onBlur={() => setTyped(null)} className="min-h-16" />;
	}
	return (
		<Input
			{...rest}
			{...shared}
			onFocus={onFocus}
			onBlur={(event) => {
				setTyped(null);
				onBlur?.(event);
			}}
		/>
	);
}
