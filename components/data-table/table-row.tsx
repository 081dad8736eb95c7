"use client";
import type { MouseEvent } from "react";
import type { Column, Item, PhoneFacts, RowGroup } from "#components/data-table/model.ts";
import { HIDE } from "#components/data-table/table-head.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";

type TableRowProps<Row> = {
	item: Item<Row>;
	index: number;
	columns: readonly Column<Row>[];
	isPhone: boolean | null;
	phone: (row: Row) => PhoneFacts;
	name: (row: Row) => string;
	selectable: boolean;
	selected: boolean;
	tabbable: boolean;
	focusRef: (el: HTMLElement | null, id: string) => void;
	measureRef: ((el: Element | null) => void) | undefined;
	onFocus: (id: string) => void;
	onClick: (event: MouseEvent<HTMLElement>, id: string) => void;
	clickable: boolean;
};

export function TableRow<Row>(props: TableRowProps<Row>) {
	const { item, index, measureRef } = props;
	if (item.kind === "group")
		return <GroupRow group={item.group} index={index} columns={props.columns} selectable={props.selectable} measureRef={measureRef} />;
	const { selected } = props;
	return (
		<tr
			ref={(el) => {
				measureRef?.(el);
				props.focusRef(el, item.id);
			}}
			data-index={index}
			data-row-id={item.id}
			aria-rowindex={item.rowIndex + 2}
			aria-selected={props.selectable ? selected : undefined}
			tabIndex={props.tabbable ? 0 : -1}
			onFocus={() => props.onFocus(item.id)}
			onClick={(event) => props.onClick(event, item.id)}
			className={cn(
				"group/row scroll-mt-24 scroll-mb-24 focus-visible:-outline-offset-2 max-md:block",
				props.clickable && "cursor-pointer",
				selected ? "bg-[color-mix(in_oklab,var(--accent)_8%,var(--panel))]" : "hover:bg-sunken",
			)}
		>
			{props.isPhone !== true && <WideCells {...props} row={item.row} />}
			{props.isPhone !== false && <PhoneCell facts={props.phone(item.row)} span={props.columns.length + (props.selectable ? 1 : 0)} />}
		</tr>
	);
}

const CELL = "hairline-b h-9.5 overflow-hidden px-1.75 text-ellipsis whitespace-nowrap first:pl-6 last:pr-6 max-md:hidden";

function WideCells<Row>({ row, item, columns, name, selectable, selected }: TableRowProps<Row> & { row: Row }) {
	return (
		<>
			{selectable && (
				<td className={cn(CELL, "pl-6")}>
					<span data-row-select className="-m-2 flex w-max p-2">
						<Checkbox aria-label={`Select ${name(row)}`} checked={selected} readOnly tabIndex={-1} data-row={item.id} />
					</span>
				</td>
			)}
			{columns.map((column) => (
				<td key={column.id} className={cn(CELL, column.n && "num", column.hideBelow && HIDE[column.hideBelow])}>
					{column.cell(row)}
				</td>
			))}
		</>
	);
}

function PhoneCell({ facts, span }: { facts: PhoneFacts; span: number }) {
	return (
		<td colSpan={span} className="hairline-b p-0 md:hidden max-md:block">
			<div
				className={cn(
					"grid gap-x-3.5 gap-y-px px-4 py-2.25",
					facts.mark ? "grid-cols-[1.375rem_minmax(0,1fr)_auto]" : "grid-cols-[minmax(0,1fr)_auto]",
				)}
			>
				{facts.mark && <div className="row-span-2 -mr-3.5 pt-0.75">{facts.mark}</div>}
				<div className="min-w-0 truncate">{facts.a}</div>
				<div className="num">{facts.b}</div>
				<div className="min-w-0 truncate text-xs">{facts.c}</div>
				<div className="num text-xs text-ink-3">{facts.d}</div>
			</div>
		</td>
	);
}

type GroupRowProps<Row> = {
	group: RowGroup<Row>;
	index: number;
	columns: readonly Column<Row>[];
	selectable: boolean;
	measureRef: ((el: Element | null) => void) | undefined;
};

/** Sums appear in their columns. */
function GroupRow<Row>({ group, index, columns, selectable, measureRef }: GroupRowProps<Row>) {
	const [first, ...rest] = columns;
	const cell =
		"h-9 overflow-hidden border-b bg-[color-mix(in_oklab,var(--ink)_3.5%,var(--panel))] px-1.75 text-ellipsis whitespace-nowrap last:pr-6";
	return (
		<tr ref={measureRef} data-index={index} className="max-md:block">
			<th
				scope="rowgroup"
				colSpan={selectable ? 2 : 1}
				className={cn(cell, "pl-6 text-left font-semibold max-md:flex max-md:items-center max-md:pl-4")}
			>
				{group.label}{" "}
				<span className="tabular ml-1 font-book text-ink-3">{(group.count ?? group.rows.length).toLocaleString("en-US")}</span>
				{first && group.sums?.[first.id]}
			</th>
			{rest.map((column) => (
				<td
					key={column.id}
					className={cn(
						cell,
						"max-md:hidden",
						column.n ? "num font-strong" : "font-book text-ink-3",
						column.hideBelow && HIDE[column.hideBelow],
					)}
				>
					{group.sums?.[column.id]}
				</td>
			))}
		</tr>
	);
}
