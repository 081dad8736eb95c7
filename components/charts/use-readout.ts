"use client";
import { type KeyboardEvent, type PointerEvent, useState } from "react";

type ReadoutOptions = {
	min: number;
	max: number;
	/** Change per arrow key press. */
	step: number;
	/** Default value without a pointer. */
	rest: number;
	/** The value at a horizontal position in the element, in its own pixels. */
	valueAt: (x: number, width: number) => number;
	/** Screen-reader text for a value. */
	say: (value: number) => string;
	label: string;
};

/**
 * Reads a chart by mouse, touch or arrow keys. Exposed as a slider with a sentence as value. `value` is null by
 * default.
 */
export function useReadout({ min, max, step, rest, valueAt, say, label }: ReadoutOptions) {
	const [value, setValue] = useState<number | null>(null);
	const clamp = (v: number) => Math.min(max, Math.max(min, v));
	const current = value ?? rest;
	const onKeyDown = (event: KeyboardEvent) => {
		const moves: Record<string, number> = {
			ArrowLeft: current - step,
			ArrowRight: current + step,
			ArrowDown: current - step,
			ArrowUp: current + step,
			PageDown: current - 8 * step,
			PageUp: current + 8 * step,
			Home: min,
			End: max,
		};
		const next = moves[event.key];
		if (event.key === "Escape") setValue(null);
		else if (next !== undefined) {
			event.preventDefault();
			setValue(clamp(next));
		}
	};
	const onPointerMove = (event: PointerEvent<HTMLElement>) => {
		const box = event.currentTarget.getBoundingClientRect();
		setValue(clamp(valueAt(event.clientX - box.left, box.width)));
	};
	return {
		value,
		current,
		bind: {
			role: "slider" as const,
			tabIndex: 0,
			"aria-label": label,
			"aria-valuemin": min,
			"aria-valuemax": max,
			"aria-valuenow": Math.round(current),
			"aria-valuetext": say(current),
			onKeyDown,
			onPointerMove,
			onPointerDown: onPointerMove,
			onPointerLeave: () => setValue(null),
			onBlur: () => setValue(null),
		},
	};
}
