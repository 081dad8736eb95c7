"use client";
import { type Column, type HideBelow, nextSort, type Selection, type Sort } from "#components/data-table/model.ts";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Icon } from "#components/ui/icon.tsx";

export const HIDE: Record<HideBelow, string> = { rail: "max-rail:hidden", wide: "max-xl:hidden", full: "max-[89.99rem]:hidden" };

/** On wider screens the extra width is shared; giving it to the first column alone would leave a gap after the name. */
const WIDE_PX = 1_600;

const widthOf = (px: number) => `max(${px}px, ${((px / WIDE_PX) * 100).toFixed(2)}vw)`;

/** Fixed widths keep columns still while rows are virtualized. */
export function TableWidths<Row>({ columns, selectable }: { columns: readonly Column<Row>[]; selectable: boolean }) {
	return (
		<colgroup className="max-md:hidden">
			{selectable && <col style={{ width: 47 }} />}
			{columns.map((column) => (
				<col
					key={column.id}
					style={column.width ? { width: widthOf(column.width) } : undefined}
					className={column.hideBelow && HIDE[column.hideBelow]}
				/>
			))}
		</colgroup>
	);
}

type HeadProps<Row> = {
	columns: readonly Column<Row>[];
	ids: readonly string[];
	selection: Selection | undefined;
	sort: Sort | null;
	onSort: ((next: Sort | null) => void) | undefined;
};

export function TableHead<Row>({ columns, ids, selection, sort, onSort }: HeadProps<Row>) {
	const count = selection ? ids.filter((id) => selection.selected.has(id)).length : 0;
	const all = count > 0 && count === ids.length;
	return (
		<thead className="max-md:hidden">
			<tr>
				{selection && (
					<th scope="col" className={cn(HEAD, "pl-6")}>
						<Checkbox
							aria-label={all ? "Clear selection" : "Select all"}
							checked={all}
							mixed={count > 0 && !all}
							onChange={() => selection.onChange(all || count > 0 ? new Set() : new Set(ids))}
						/>
					</th>
				)}
				{columns.map((column) => (
					<HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
				))}
			</tr>
		</thead>
	);
}

const HEAD =
	"sticky top-(--header-h) z-10 h-8.5 bg-panel px-1.75 text-xs font-strong whitespace-nowrap text-ink-3 shadow-[inset_0_-1px_0_var(--line)] first:pl-6 last:pr-6";

function HeadCell<Row>({
	column,
	sort,
	onSort,
}: {
	column: Column<Row>;
	sort: Sort | null;
	onSort: ((next: Sort | null) => void) | undefined;
}) {
	const on = sort?.columnId === column.id ? sort.direction : null;
	const sortable = column.sort !== undefined && onSort !== undefined;
	return (
		<th
			scope="col"
			aria-sort={sortable ? (on ?? "none") : undefined}
			className={cn(HEAD, column.n ? "text-right" : "text-left", column.hideBelow && HIDE[column.hideBelow])}
		>
			{sortable ? (
				<button
					type="button"
					onClick={() => onSort(nextSort(sort, column))}
					className={cn(
						"group/sort inline-flex items-center align-top gap-0.5 rounded-xs hover:text-ink",
						column.n && "flex-row-reverse",
						on && "text-ink",
					)}
				>
					{column.header}
					<Icon
						name={(on ?? column.sort) === "ascending" ? "arrowUp" : "arrowDown"}
						className={cn(
							"size-3",
							column.n ? "-ml-3.5 -translate-x-0.5" : "-mr-3.5",
							on ? "" : "opacity-0 group-hover/sort:opacity-60 group-focus-visible/sort:opacity-60",
						)}
					/>
				</button>
			) : (
				column.header
			)}
		</th>
	);
}
