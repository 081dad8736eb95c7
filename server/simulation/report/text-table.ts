const GAP = "  ";

/** An aligned table: the first column left-aligned, figures right-aligned. */
export function textTable<Row>(columns: readonly { head: string; cell: (row: Row) => string }[], rows: readonly Row[]): string {
	const lines = [columns.map((column) => column.head), ...rows.map((row) => columns.map((column) => plain(column.cell(row))))];
	const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
	return lines
		.map((line) => line.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join(GAP))
		.join("\n");
}

/** Text from a file must not move the cursor. */
function plain(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
	return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
