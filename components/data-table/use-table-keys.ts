"use client";
import { type KeyboardEvent, type MouseEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { type Item, moveFocus, rangeSelected, type Selection, toggled } from "#components/data-table/model.ts";
import { isTyping } from "#components/ui/is-typing.ts";

type TableKeys<Row> = {
	ids: readonly string[];
	items: readonly Item<Row>[];
	selection: Selection | undefined;
	onOpen: ((row: Row) => void) | undefined;
	scrollTo: (index: number) => void;
};

/**
 * Roving tab index: arrows move, Space selects, Shift extends, Enter opens, Escape clears. `j`, `k`, `x` and Escape also work
 * while no row has the focus.
 */
export function useTableKeys<Row>({ ids, items, selection, onOpen, scrollTo }: TableKeys<Row>) {
	const [focusedId, setActive] = useState<string | null>(null);
	const anchor = useRef<string | null>(null);
	const wanted = useRef<string | null>(null);
	const activeId = focusedId !== null && ids.includes(focusedId) ? focusedId : null;

	const select = (id: string, range: boolean) => {
		if (!selection) return;
		selection.onChange(range ? rangeSelected(selection.selected, ids, anchor.current, id) : toggled(selection.selected, id));
		anchor.current = id;
	};
	const open = (id: string) => {
		const item = items.find((each) => each.id === id);
		if (item?.kind === "row") onOpen?.(item.row);
	};
	const moveTo = (id: string, from: string | null, extend: boolean) => {
		if (extend && selection && from !== null) {
			anchor.current ??= from;
			selection.onChange(rangeSelected(selection.selected, ids, anchor.current, id));
		} else anchor.current = null;
		wanted.current = id;
		setActive(id);
		scrollTo(items.findIndex((item) => item.id === id));
	};
	/** Returns true if the key did something. */
	const clear = () => {
		if (!selection || selection.selected.size === 0) return false;
		selection.onChange(new Set());
		return true;
	};
	const onLetter = useEffectEvent((event: globalThis.KeyboardEvent): boolean => {
		if (event.key === "Escape") return clear();
		const key = event.key.toLowerCase();
		if (key === "x" && activeId !== null && selection) {
			select(activeId, event.shiftKey);
			return true;
		}
		const next = key === "j" || key === "k" ? moveFocus(key, ids, activeId) : null;
		if (next !== null) moveTo(next, activeId, event.shiftKey);
		return next !== null;
	});
	// On the window, after the shell's listener on the document: `g j` is a screen.
	useEffect(() => {
		const listen = (event: globalThis.KeyboardEvent) => {
			if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
			if (isTyping(event.target) || document.querySelector("dialog[open], :popover-open")) return;
			if (onLetter(event)) event.preventDefault();
		};
		window.addEventListener("keydown", listen);
		return () => window.removeEventListener("keydown", listen);
	}, []);

	const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
		if (!(event.target instanceof HTMLElement) || event.target.tagName !== "TR") return;
		const current = event.target.dataset["rowId"] ?? null;
		if (current === null || /^[jkx]$/i.test(event.key)) return;
		const next = moveFocus(event.key, ids, current);
		if (next !== null) moveTo(next, current, event.shiftKey);
		else if (event.key === " ") select(current, event.shiftKey);
		else if (event.key === "Enter") open(current);
		else return;
		event.preventDefault();
	};
	const onRowClick = (event: MouseEvent<HTMLElement>, id: string) => {
		const target = event.target instanceof Element ? event.target : null;
		if (target?.closest("[data-row-select]")) {
			// Default not prevented; otherwise the checkbox would show its old state.
			select(id, event.shiftKey);
			return;
		}
		if (target?.closest("a, button, input, label, select, summary")) return;
		if (window.getSelection()?.toString()) return;
		open(id);
	};
	const focusRef = (el: HTMLElement | null, id: string) => {
		if (!el || wanted.current !== id) return;
		wanted.current = null;
		el.focus({ preventScroll: true });
		el.scrollIntoView({ block: "nearest" });
	};
	return { activeId, setActive, onKeyDown, onRowClick, focusRef };
}
