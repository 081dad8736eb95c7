"use client";
import { useCallback, useState } from "react";

/** Element width in whole pixels; `first` until measured, as for server rendering. */
export function useWidth(first: number): [(el: Element | null) => (() => void) | undefined, number] {
	const [width, setWidth] = useState(first);
	const ref = useCallback((el: Element | null) => {
		if (!el) return;
		const observer = new ResizeObserver(([entry]) => {
			const next = Math.round(entry?.contentRect.width ?? 0);
			if (next > 0) setWidth(next);
		});
		observer.observe(el);
		return () => observer.disconnect();
	}, []);
	return [ref, width];
}
