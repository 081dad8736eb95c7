"use client";
import { notify } from "#components/ui/toast.tsx";
import { addEntry, duplicateEntry, freshId, moveEntry, type Outline, outlineOf, removeEntry } from "#server/domain/policy-entries.ts";
import type { CardsActions } from "./cards-panel.tsx";
import { editField } from "./edit-field.ts";
import type { NewEntry } from "./new-entries.ts";

type Cards = {
	text: string;
	outline: Outline | null;
	open: string | null;
	setText: (text: string) => void;
	setOpen: (key: string | null) => void;
};

/** Card actions that edit the text; the expanded card follows its entry. */
export function useCardActions({ text, outline, open, setText, setOpen }: Cards): Omit<CardsActions, "onOpen"> {
	const change = (next: string | null, opens?: string | null) => {
		if (next === null) {
			notify({ tone: "info", title: "Could not edit this from the card", detail: "Edit the YAML instead." });
			return;
		}
		setText(next);
		if (opens !== undefined) setOpen(opens);
	};
	return {
		onEdit: (path, value) => change(editField(text, path, value)),
		onMove: (list, index, by) => {
			const other = index + by;
			if (!outline?.[list][other]) return;
			const key = open === `${list}:${index}` ? `${list}:${other}` : open === `${list}:${other}` ? `${list}:${index}` : open;
			change(moveEntry(text, list, index, by), key);
		},
		onDuplicate: (list, index) => change(duplicateEntry(text, list, index), `${list}:${index + 1}`),
		onRemove: (list, entry) => {
			const next = removeEntry(text, list, entry.index);
			change(next, null);
			if (next === null) return;
			const title = `Deleted ${entry.id || (list === "rules" ? "rule" : "budget")} from the draft`;
			notify({ tone: "info", title, action: { label: "Undo", onClick: () => setText(text) } });
		},
		onAdd: (entry) => change(withNew(text, outline, entry), `${entry.list}:${outline?.[entry.list].length ?? 0}`),
	};
}

function withNew(text: string, outline: Outline | null, { list, id, body }: NewEntry): string | null {
	const taken = outline?.[list].map((e) => e.id) ?? [];
	const added = addEntry(text, list, `id: ${freshId(id, taken)}\n${body}`);
	return added !== null && outlineOf(added)?.[list].length === taken.length + 1 ? added : null;
}
