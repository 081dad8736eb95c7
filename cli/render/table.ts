import type { Io } from "../io.ts";
import { type Style, styled } from "./style.ts";

export interface Column<Row> {
	head: string;
	cell: (row: Row) => string;
	right?: true;
	style?: (row: Row) => Style | null;
}

const GAP = "  ";
/** A last column narrower than this is useless, so lines wrap instead. */
const LAST_MIN = 12;

/** An aligned table, or one sentence when there are no rows. On a terminal its last column is cut to the width. */
export function table<Row>(
	io: Pick<Io, "columns" | "color">,
	columns: readonly Column<Row>[],
	rows: readonly Row[],
	options: { empty: string; totals?: readonly string[] },
): string {
	if (rows.length === 0) return `${options.empty}\n`;
	const body = rows.map((row) => columns.map((c) => clean(c.cell(row))));
	const lines = [columns.map((c) => c.head), ...body, ...(options.totals ? [options.totals] : [])];
	const widths = columns.map((_, i) => Math.max(...lines.map((line) => width(line[i] ?? ""))));
	const before = widths.slice(0, -1).reduce((sum, w) => sum + w + GAP.length, 0);
	const room = io.columns === null ? Number.POSITIVE_INFINITY : io.columns - before;
	const lastRoom = room < LAST_MIN ? Number.POSITIVE_INFINITY : room;
	const write = (line: readonly string[], styleOf: (i: number) => Style | null): string =>
		columns
			.map((column, i) => {
				const last = i === columns.length - 1;
				const text = last ? cut(line[i] ?? "", lastRoom) : (line[i] ?? "");
				const space = " ".repeat(Math.max(0, (widths[i] ?? 0) - width(text)));
				const shown = styled(io, styleOf(i), text);
				return column.right ? `${space}${shown}` : last ? shown : `${shown}${space}`;
			})
			.join(GAP)
			.trimEnd();
	return `${[
		write(lines[0] ?? [], () => "bold"),
		...body.map((line, r) => write(line, (i) => columns[i]?.style?.(rows[r] as Row) ?? null)),
		...(options.totals ? [write(options.totals, () => "bold")] : []),
	].join("\n")}\n`;
}

/** `name  value` lines; multi-line values are aligned below each other. */
export function fields(io: Pick<Io, "color">, pairs: readonly (readonly [string, string | null])[]): string {
	const shown = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== null);
	const nameWidth = Math.max(...shown.map(([name]) => width(name)));
	return shown
		.map(
			([name, value]) => `${styled(io, "dim", name.padEnd(nameWidth))}${GAP}${value.replace(/\n/g, `\n${" ".repeat(nameWidth)}${GAP}`)}\n`,
		)
		.join("");
}

export function heading(io: Pick<Io, "color">, text: string): string {
	return `\n${styled(io, "bold", text)}\n`;
}

/** External text must not move the cursor or break the line. */
export function clean(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
	return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}

function width(text: string): number {
	return [...text].length;
}

function cut(text: string, room: number): string {
	const letters = [...text];
	return letters.length <= room ? text : `${letters.slice(0, room - 1).join("")}…`;
}
