import PDFDocument from "pdfkit";
import type { Block, Column } from "./document.ts";

/** A4 in points, and a statement's type sizes. Built-in Helvetica needs no font file and yields the same bytes on every machine. */
const PAPER = { left: 56, right: 56, top: 64, bottom: 64 };
const TEXT = { body: 8.5, heading: 10.5, small: 7 };
const INK = { text: "#141a24", quiet: "#5b6472", line: "#d9dde3", strong: "#6b7480" };
const ROW_PAD = 3.2;

export type Paper = PDFKit.PDFDocument;
type Row = Extract<Block, { kind: "table" }>["rows"][number];

/** An empty document. Its bytes depend only on its content: no clock, no random ids. */
export function newPaper(info: { title: string; author: string; at: Date }): Paper {
	return new PDFDocument({
		size: "A4",
		margins: PAPER,
		bufferPages: true,
		lang: "en",
		displayTitle: true,
		info: {
			Title: printable(info.title),
			Author: printable(info.author),
			Creator: "Spillway",
			Producer: "Spillway",
			CreationDate: info.at,
			ModDate: info.at,
		},
	});
}

export const widthOf = (doc: Paper): number => doc.page.width - PAPER.left - PAPER.right;
const bottomOf = (doc: Paper): number => doc.page.height - PAPER.bottom;

/** Starts a new page unless this much space is left. */
export function need(doc: Paper, height: number): void {
	if (doc.y + height > bottomOf(doc)) doc.addPage();
}

export function drawBlock(doc: Paper, block: Block): void {
	if (block.kind === "heading") drawHeading(doc, block.text);
	else if (block.kind === "text") drawText(doc, block.text);
	else drawTable(doc, block.columns, block.rows);
}

/** A heading is never alone at the end of a page. */
function drawHeading(doc: Paper, text: string): void {
	need(doc, 74);
	doc.y += 16;
	doc.font("Helvetica-Bold").fontSize(TEXT.heading).fillColor(INK.text);
	doc.text(printable(text), PAPER.left, doc.y, { width: widthOf(doc) });
	doc.y += 2;
}

function drawText(doc: Paper, text: string): void {
	doc.font("Helvetica").fontSize(TEXT.body);
	const options = { width: widthOf(doc), lineGap: 1.5 };
	need(doc, doc.heightOfString(printable(text), options) + 6);
	doc.fillColor(INK.quiet).text(printable(text), PAPER.left, doc.y + 5, options);
}

/** Rows are not split; a new page repeats the headers. */
function drawTable(doc: Paper, columns: readonly Column[], rows: readonly Row[]): void {
	const head = (): void => {
		doc.y += 3;
		if (columns.some((c) => c.label !== ""))
			drawRow(doc, columns, { cells: columns.map((c) => c.label) }, { font: "Helvetica", size: 7.5, ink: INK.quiet });
		rule(doc, doc.y, INK.strong);
	};
	head();
	for (const row of rows) {
		const font = row.as === "total" || row.as === "group" ? "Helvetica-Bold" : "Helvetica";
		const style = { font, size: TEXT.body, ink: row.as === "note" ? INK.quiet : INK.text };
		const spans: readonly Column[] = row.as === "note" ? [{ label: "", width: 0.9 }] : columns;
		if (doc.y + heightOf(doc, spans, row, style) > bottomOf(doc)) {
			doc.addPage();
			head();
		}
		if (row.as === "total") rule(doc, doc.y, INK.strong);
		drawRow(doc, spans, row, style);
		if (row.as !== "total") rule(doc, doc.y, INK.line, 0.4);
	}
}

interface Style {
	font: string;
	size: number;
	ink: string;
}
const GAP = 8;

function heightOf(doc: Paper, columns: readonly Column[], row: Row, style: Style): number {
	doc.font(style.font).fontSize(style.size);
	const heights = columns.map((c, i) => doc.heightOfString(printable(row.cells[i] ?? "") || " ", { width: c.width * widthOf(doc) - GAP }));
	return Math.max(...heights) + 2 * ROW_PAD;
}

function drawRow(doc: Paper, columns: readonly Column[], row: Row, style: Style): void {
	const height = heightOf(doc, columns, row, style);
	const top = doc.y;
	let x = PAPER.left;
	doc.font(style.font).fontSize(style.size).fillColor(style.ink);
	for (const [i, column] of columns.entries()) {
		const full = column.width * widthOf(doc);
		const options = { width: full - GAP, align: column.n ? "right" : "left" } as const;
		doc.text(printable(row.cells[i] ?? ""), column.n ? x + GAP : x, top + ROW_PAD + 1, options);
		x += full;
	}
	doc.y = top + height;
}

export function rule(doc: Paper, y: number, color: string = INK.line, width = 0.6): void {
	doc
		.moveTo(PAPER.left, y)
		.lineTo(PAPER.left + widthOf(doc), y)
		.lineWidth(width)
		.strokeColor(color)
		.stroke();
}

/** Figures side by side, each with its label above and a note below. */
export function drawFigures(doc: Paper, figures: readonly { label: string; value: string; note: string }[]): void {
	const top = doc.y + 12;
	const step = widthOf(doc) / figures.length;
	for (const [i, { label, value, note }] of figures.entries()) {
		const at = PAPER.left + i * step;
		const options = { width: step - GAP, lineBreak: false } as const;
		doc.font("Helvetica").fontSize(7.5).fillColor(INK.quiet).text(printable(label), at, top, options);
		doc
			.font("Helvetica-Bold")
			.fontSize(i === 0 ? 15 : 12.5)
			.fillColor(INK.text)
			.text(printable(value), at, top + (i === 0 ? 12 : 14), options);
		doc
			.font("Helvetica")
			.fontSize(7.5)
			.fillColor(INK.quiet)
			.text(printable(note), at, top + 31, options);
	}
	doc.y = top + 50;
	rule(doc, doc.y);
}

/** The footer of every page, and the header of all but the first. Call it when all pages exist. */
export function drawMargins(doc: Paper, text: { head: string; left: string; middle: string }): void {
	const { start, count } = doc.bufferedPageRange();
	for (let i = start; i < start + count; i++) {
		doc.switchToPage(i);
		// Text below the margin would start a new page.
		doc.page.margins.bottom = 0;
		const y = doc.page.height - 40;
		const width = widthOf(doc);
		doc.font("Helvetica").fontSize(TEXT.small).fillColor(INK.quiet);
		doc.text(printable(text.left), PAPER.left, y, { width, lineBreak: false });
		doc.text(printable(text.middle), PAPER.left + width * 0.55, y, { lineBreak: false });
		doc.text(`Page ${i - start + 1} of ${count}`, PAPER.left, y, { width, align: "right", lineBreak: false });
		if (i > start) doc.text(printable(text.head), PAPER.left, 40, { width, lineBreak: false });
	}
}

export async function bytesOf(doc: Paper): Promise<Buffer> {
	const chunks: Buffer[] = [];
	doc.on("data", (chunk: Buffer) => chunks.push(chunk));
	const ended = new Promise<void>((resolve, reject) => {
		doc.on("end", () => resolve());
		doc.on("error", reject);
	});
	doc.end();
	await ended;
	return Buffer.concat(chunks);
}

/** The built-in fonts contain only the characters of Windows-1252; others are replaced. */
const INSTEAD: Record<string, string> = { "−": "-", "≈": "~", "≤": "<=", "≥": ">=", "→": "->", "₂": "2", "\t": " " };
export function printable(text: string): string {
	return [...text.normalize("NFC")]
		.map(
			(c) => INSTEAD[c] ?? (/[\n\x20-\x7e\xa1-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/.test(c) ? c : c === "\u00a0" || c === "\u202f" ? " " : "?"),
		)
		.join("");
}

export const INKS = INK;
export const LEFT = PAPER.left;
