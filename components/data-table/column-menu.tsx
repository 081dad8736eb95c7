"use client";
import type { Column } from "#components/data-table/model.ts";
import { toggled } from "#components/data-table/model.ts";
import { Menu } from "#components/ui/menu.tsx";

type ColumnMenuProps<Row> = {
	columns: readonly Column<Row>[];
	visible: ReadonlySet<string>;
	onChange: (visible: ReadonlySet<string>) => void /** Columns that cannot be hidden. */;
	fixed?: readonly string[];
};

/** Column picker. The choice is stored in the URL with the rest of the view. */
export function ColumnMenu<Row>({ columns, visible, onChange, fixed = [] }: ColumnMenuProps<Row>) {
	return (
		<Menu
			label="Columns"
			variant="quiet"
			caret={false}
			align="end"
			entries={columns
				.filter((column) => !fixed.includes(column.id))
				.map((column) => ({
					kind: "check" as const,
					id: column.id,
					label: column.name,
					checked: visible.has(column.id),
					onSelect: () => onChange(toggled(visible, column.id)),
				}))}
		/>
	);
}
