"use client";
import { type ComponentProps, useState } from "react";
import { Input, Textarea } from "#components/ui/input.tsx";

type DraftProps = {
	value: string;
	/** Called on every change; may receive a parsed value that differs from the typed text. */
	onValue: (value: string) => void;
	lines?: boolean;
	mono?: boolean;
} & Omit<ComponentProps<"input">, "value" | "onChange" | "ref">;

/** A field bound to the YAML. Shows the typed text while focused, otherwise the YAML value. */
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
