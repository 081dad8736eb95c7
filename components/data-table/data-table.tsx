"use client";
import { type ReactNode, useMemo } from "react";
import {
	type Column,
	flatten,
	type Item,
	type PhoneFacts,
	type RowGroup,
	type Selection,
	type Sort,
} from "#components/data-table/model.ts";
import { TableHead, TableWidths } from "#components/data-table/table-head.tsx";
import { TableRow } from "#components/data-table/table-row.tsx";
import { useIsPhone } from "#components/data-table/use-phone.ts";
import { useTableKeys } from "#components/data-table/use-table-keys.ts";
import { useWindowRows } from "#components/data-table/use-window-rows.ts";
import { cn } from "#components/ui/cn.ts";

export type DataTableProps<Row> = {
	/** "Jobs" */
	label: string;
	columns: readonly Column<Row>[];
	/** IDs of visible columns, in `columns` order; all if absent. */
	visible?: ReadonlySet<string>;
	groups: readonly RowGroup<Row>[];
	rowId: (row: Row) => string;
	/** Row name for the checkbox and screen readers. */
	rowName: (row: Row) => string;
	/** Phone layout: two lines of four values. */
	phone: (row: Row) => PhoneFacts;
	selection?: Selection;
	sort?: Sort | null;
	onSort?: (next: Sort | null) => void;
	/** Opened by Enter or by a click outside the row's links. */
	onOpen?: (row: Row) => void;
	/** Total row count, if not all are loaded. */
	total?: number;
	/** Called when scrolling near the end of the list. */
	onEndReached?: () => void;
	/** Footer, such as "Loading more". */
	foot?: ReactNode;
	className?: string;
};

const ROW = 38;
const GROUP = 36;
const PHONE_ROW = 57;
const END_WITHIN_PX = 800;

/** Long list with sticky header, virtual rows, groups with sums, selection and keyboard control. The window scrolls. */
export function DataTable<Row>(props: DataTableProps<Row>) {
	const { columns, groups, rowId, selection } = props;
	const isPhone = useIsPhone();
	const items = useMemo(() => flatten(groups, rowId), [groups, rowId]);
	const ids = useMemo(() => items.flatMap((item) => (item.kind === "row" ? [item.id] : [])), [items]);
	const shown = useMemo(() => columns.filter((c) => props.visible?.has(c.id) ?? true), [columns, props.visible]);
	const rows = useWindowRows({
		count: items.length,
		isHydrated: isPhone !== null,
		sizeOf: (i) => heightOf(items[i], isPhone === true),
		keyOf: (i) => items[i]?.id ?? String(i),
	});
	const keyboard = useTableKeys({ ids, items, selection, onOpen: props.onOpen, scrollTo: rows.scrollTo });

	const columnCount = shown.length + (selection ? 1 : 0);
	return (
		<div className={cn("bg-panel", props.className)}>
			<table
				// biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows take the focus and are selected: that is a grid.
				role="grid"
				aria-label={props.label}
				aria-rowcount={(props.total ?? ids.length) + 1}
				aria-multiselectable={selection ? true : undefined}
				onKeyDown={keyboard.onKeyDown}
				className="w-full table-fixed border-collapse max-md:block"
			>
				<TableWidths columns={shown} selectable={selection !== undefined} />
				<TableHead columns={shown} ids={ids} selection={selection} sort={props.sort ?? null} onSort={props.onSort} />
				<tbody ref={rows.measureTop} className="max-md:block">
					{rows.before > 0 && <Spacer height={rows.before} span={columnCount} />}
					{rows.indexes.map((index) => {
						const item = items[index];
						return item ? (
							<TableRow
								key={item.id}
								item={item}
								index={index}
								columns={shown}
								isPhone={isPhone}
								phone={props.phone}
								name={props.rowName}
								selectable={selection !== undefined}
								selected={selection?.selected.has(item.id) ?? false}
								tabbable={item.id === (keyboard.activeId ?? ids[0])}
								focusRef={keyboard.focusRef}
								measureRef={rows.measureRow}
								onFocus={keyboard.setActive}
								onClick={keyboard.onRowClick}
								clickable={props.onOpen !== undefined}
							/>
						) : null;
					})}
					{rows.after > 0 && <Spacer height={rows.after} span={columnCount} />}
				</tbody>
			</table>
			{props.onEndReached && (props.total ?? ids.length) > ids.length && <EndSentinel key={ids.length} onReached={props.onEndReached} />}
			{props.foot}
		</div>
	);
}

/** Fires once per list length when its end is near. */
function EndSentinel({ onReached }: { onReached: () => void }) {
	const watch = (el: HTMLDivElement | null) => {
		if (!el) return;
		const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onReached(), { rootMargin: `${END_WITHIN_PX}px` });
		observer.observe(el);
		return () => observer.disconnect();
	};
	return <div ref={watch} aria-hidden />;
}

function heightOf<Row>(item: Item<Row> | undefined, phone: boolean): number {
	if (item?.kind === "group") return GROUP;
	return phone ? PHONE_ROW : ROW;
}

function Spacer({ height, span }: { height: number; span: number }) {
	return (
		<tr aria-hidden className="max-md:block">
			<td colSpan={span} style={{ height }} className="p-0 max-md:block" />
		</tr>
	);
}
