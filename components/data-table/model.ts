import type { ReactNode } from "react";

export type SortDirection = "ascending" | "descending";
export type Sort = { columnId: string; direction: SortDirection };

/** Minimum width at which a column is shown: phone 768 px, rail 1100, wide 1280, full 1440. */
export type HideBelow = "rail" | "wide" | "full";

export type Column<Row> = {
	id: string;
	header: ReactNode;
	/** Column name for the picker and screen readers if `header` is not plain text. */
	name: string;
	cell: (row: Row) => ReactNode;
	/** Numbers: right-aligned, tabular. */
	n?: boolean;
	/** Pixels. Columns without a width share the rest. */
	width?: number;
	/** Makes the column sortable; the direction of the first click. */
	sort?: SortDirection;
	hideBelow?: HideBelow;
};

export type RowGroup<Row> = {
	id: string;
	label: ReactNode;
	/** Count next to the label; defaults to the loaded rows. */
	count?: number;
	/** Column sums in the group's header row. */
	sums?: Readonly<Record<string, ReactNode>>;
	rows: readonly Row[];
};

export type Selection = { selected: ReadonlySet<string>; onChange: (next: ReadonlySet<string>) => void };

/** First line: mark, name and main figure. Second line: location and time or reason. */
export type PhoneFacts = { mark?: ReactNode; a: ReactNode; b: ReactNode; c: ReactNode; d: ReactNode };

export type Item<Row> = { kind: "group"; id: string; group: RowGroup<Row> } | { kind: "row"; id: string; row: Row; rowIndex: number };

/** Groups and rows in display order. A single unlabeled group has no header. */
export function flatten<Row>(groups: readonly RowGroup<Row>[], rowId: (row: Row) => string): Item<Row>[] {
	const items: Item<Row>[] = [];
	let rowIndex = 0;
	for (const group of groups) {
		if (group.label !== null && group.label !== undefined && group.label !== "")
			items.push({ kind: "group", id: `group:${group.id}`, group });
		for (const row of group.rows) items.push({ kind: "row", id: rowId(row), row, rowIndex: rowIndex++ });
	}
	return items;
}

/** The row a key moves to, by ID; null if the key does not move. */
export function moveFocus(key: string, ids: readonly string[], activeId: string | null, page = 12): string | null {
	const at = activeId === null ? -1 : ids.indexOf(activeId);
	const clamp = (i: number) => ids[Math.min(ids.length - 1, Math.max(0, i))] ?? null;
	switch (key) {
		case "ArrowDown":
		case "j":
			return clamp(at + 1);
		case "ArrowUp":
		case "k":
			return clamp(at - 1);
		case "PageDown":
			return clamp(at + page);
		case "PageUp":
			return clamp(at - page);
		case "Home":
			return clamp(0);
		case "End":
			return clamp(ids.length - 1);
		default:
			return null;
	}
}

export function toggled(selected: ReadonlySet<string>, id: string): Set<string> {
	const next = new Set(selected);
	if (!next.delete(id)) next.add(id);
	return next;
}

/** Selects every row from the anchor to the target, inclusive. */
export function rangeSelected(
	selected: ReadonlySet<string>,
	ids: readonly string[],
	anchorId: string | null,
	targetId: string,
): Set<string> {
	const to = ids.indexOf(targetId);
	const from = anchorId === null ? to : ids.indexOf(anchorId);
	if (to < 0) return new Set(selected);
	const [low, high] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
	return new Set([...selected, ...ids.slice(low, high + 1)]);
}

/** Next sort on header click: default direction, reverse, then the list default. */
export function nextSort<Row>(sort: Sort | null, column: Pick<Column<Row>, "id" | "sort">): Sort | null {
	const first = column.sort ?? "ascending";
	if (sort?.columnId !== column.id) return { columnId: column.id, direction: first };
	return sort.direction === first ? { columnId: column.id, direction: first === "ascending" ? "descending" : "ascending" } : null;
}
