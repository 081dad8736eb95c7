"use client";
import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { type BrushAxis, type BrushEnds, orderedEnds, pressBrushKey } from "./brush.ts";

/** A smaller movement is a click. */
const DRAG_PX = 5;

type BrushOptions = BrushAxis & {
	/** The value at a horizontal position in the element, in its own pixels. */
	valueAt: (x: number, width: number) => number;
	/** null: the chart has no range to set. */
	onSelect: ((from: number, to: number) => void) | null;
	/** Undoes the current range; null if none is set. */
	onReset: (() => void) | null;
};

/** Selects a range of a chart by dragging, or by Shift and the arrow keys. Touch only reads, so that pages still scroll. */
export function useBrush({ valueAt, onSelect, onReset, ...axis }: BrushOptions) {
	const [ends, setEnds] = useState<BrushEnds | null>(null);
	const start = useRef<{ x: number; value: number } | null>(null);
	const dragged = useRef(false);
	const at = (event: PointerEvent<HTMLElement>): number => {
		const box = event.currentTarget.getBoundingClientRect();
		return valueAt(event.clientX - box.left, box.width);
	};
	const apply = (of: BrushEnds): void => onSelect?.(...orderedEnds(of));
	return {
		selection: ends && orderedEnds(ends),
		/** True if the click that follows a drag must be ignored. */
		isDrag: () => dragged.current,
		onPointerDown: (event: PointerEvent<HTMLElement>) => {
			dragged.current = false;
			if (!onSelect || event.button !== 0 || event.pointerType === "touch") return;
			start.current = { x: event.clientX, value: at(event) };
			event.currentTarget.setPointerCapture(event.pointerId);
		},
		onPointerMove: (event: PointerEvent<HTMLElement>) => {
			const from = start.current;
			if (!from || (!dragged.current && Math.abs(event.clientX - from.x) < DRAG_PX)) return;
			dragged.current = true;
			setEnds({ anchor: from.value, head: at(event) });
		},
		onPointerUp: (event: PointerEvent<HTMLElement>) => {
			const from = start.current;
			start.current = null;
			setEnds(null);
			if (from && dragged.current) apply({ anchor: from.value, head: at(event) });
		},
		onPointerCancel: () => {
			start.current = null;
			setEnds(null);
		},
		/** True if the key was the brush's and no other action may follow. */
		onKeyDown: (event: KeyboardEvent): boolean => {
			if (!onSelect) return false;
			const pressed = pressBrushKey(ends, event.key, event.shiftKey, axis);
			if (!pressed) return false;
			setEnds(pressed.ends);
			if (pressed.does === "apply" && ends) apply(ends);
			if (pressed.does === "reset") onReset?.();
			return pressed.does === "apply";
		},
	};
}
