"use client";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useState } from "react";

/** Shorter lists are rendered completely so that browser find and print work. */
const WHOLE_UP_TO = 80;
/** Rows in the server's markup: the most that a screen of 1,200 px shows. The rest follows when they have hydrated. */
const FIRST_ROWS = 32;

type WindowRows = { count: number; isHydrated: boolean; sizeOf: (index: number) => number; keyOf: (index: number) => string };

/**
 * The rows near the window's viewport. `before` and `after` are the heights of the rest. `measureTop` is the ref of the
 * element that holds the rows.
 */
export function useWindowRows({ count, isHydrated, sizeOf, keyOf }: WindowRows) {
	const [top, setTop] = useState(0);
	const measureTop = useCallback((el: Element | null) => {
		if (!el) return;
		const measure = () => setTop(Math.round(el.getBoundingClientRect().top + window.scrollY));
		measure();
		// Content above the list (wrapping filters, a dismissed banner) moves it.
		const observer = new ResizeObserver(measure);
		observer.observe(document.body);
		return () => observer.disconnect();
	}, []);
	const virtualizer = useWindowVirtualizer({
		count,
		estimateSize: sizeOf,
		getItemKey: keyOf,
		overscan: 12,
		scrollMargin: top,
		scrollPaddingStart: 96,
		scrollPaddingEnd: 96,
		initialRect: { width: 1440, height: 1200 },
	});
	if (!isHydrated || count <= WHOLE_UP_TO) {
		const shown = isHydrated ? count : Math.min(count, FIRST_ROWS);
		const rest = Array.from({ length: count - shown }, (_, i) => sizeOf(shown + i));
		return {
			indexes: Array.from({ length: shown }, (_, i) => i),
			before: 0,
			after: rest.reduce((sum, height) => sum + height, 0),
			measureTop,
			measureRow: undefined,
			scrollTo: () => {},
		};
	}
	const items = virtualizer.getVirtualItems();
	const first = items[0];
	const last = items.at(-1);
	return {
		indexes: items.map((item) => item.index),
		before: first ? first.start - top : 0,
		after: last ? virtualizer.getTotalSize() - (last.end - top) : 0,
		measureTop,
		measureRow: virtualizer.measureElement,
		scrollTo: (index: number) => virtualizer.scrollToIndex(index, { align: "auto" }),
	};
}
