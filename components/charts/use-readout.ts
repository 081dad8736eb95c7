"use client";
import { type KeyboardEvent, type PointerEvent, useState } from "react";

type ReadoutOptions = {
	min: number;
	max: number;
	/** One press of an arrow. */
	step: number;
	/** Where it rests when nobody points. */
	rest: number;
	/** The value under a horizontal position inside the element, in its own pixels. */
	valueAt: (x: number, width: number) => number;
	/** What a screen reader says for a value. */
	say: (value: number) => string;
	label: string;
};

/**
 * A chart that is read by pointing: with the mouse, with a finger, or with the arrow keys. To assistive technology it is a slider
 * whose value is spoken as a sentence. `value` is null while it rests.
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
