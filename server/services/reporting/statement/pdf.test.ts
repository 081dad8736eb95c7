import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { statementCsv } from "./csv.ts";
import { statementBlocks } from "./document.ts";
import { dollars, exactDollars, gpuHours } from "./figures.ts";
import { statementPdf } from "./pdf.ts";
import { printable } from "./pdf-paper.ts";
import { aView } from "./testing/a-view.ts";

const pagesOf = (pdf: Buffer): number => pdf.toString("latin1").match(/\/Type \/Page\b/g)?.length ?? 0;

describe("the PDF", () => {
	it("has the same bytes for the same statement, and different bytes once it is signed", async () => {
		const one = await statementPdf(aView());
		expect((await statementPdf(aView())).equals(one)).toBe(true);
		expect(one.subarray(0, 5).toString()).toBe("%PDF-");
		const view = aView();
		const unsigned = view.shown ? { ...view, shown: { ...view.shown, signatures: [] } } : view;
		expect((await statementPdf(unsigned)).equals(one)).toBe(false);
	});

	it("continues on further pages when one is not enough", async () => {
		const few = pagesOf(await statementPdf(aView("risk", 1)));
		const many = pagesOf(await statementPdf(aView("risk", 60)));
		expect(few).toBeGreaterThanOrEqual(2);
		expect(many).toBeGreaterThan(few + 3);
	});

	it("replaces characters missing in the built-in fonts but keeps every letter of Western names", () => {
		expect(printable("−3 ≈ 4, Zoë Müller – €5, 東京")).toBe("-3 ~ 4, Zoë Müller – €5, ??");
	});
});

describe("the printed statement", () => {
	it("contains every section, project sums with their lines, and the statement's total", () => {
		const view = aView();
		const blocks = statementBlocks(view);
		const headings = blocks.flatMap((b) => (b.kind === "heading" ? [b.text] : []));
		expect(headings).toEqual([
			...["On-prem against cloud", "Charges by project", "Savings, estimated", "Paid for nothing", "The 20 most expensive jobs"],
			...["Budget against actual", "Reconciled with the bills of the providers", "Carbon"],
		]);
		const totals = blocks.flatMap((b) => (b.kind === "table" ? b.rows.filter((r) => r.as === "total").map((r) => r.cells) : []));
		expect(totals.map((cells) => cells.find((c) => c.startsWith("30,")))).toEqual(["30,969.46", "30,969.46"]);
	});
});

describe("the CSV", () => {
	const rows = parse(statementCsv(aView()), { columns: true }) as Record<string, string>[];
	it("has one table with lines that add up to the total, to the micro-dollar: 30,969.460001", () => {
		const micro = (usd: string | undefined): bigint => BigInt((usd ?? "0").replace(".", ""));
		const lines = rows.filter((r) => r["section"] === "line").reduce((sum, r) => sum + micro(r["usd"]), 0n);
		expect(rows.find((r) => r["section"] === "total")?.["usd"]).toBe("30969.460001");
		expect(lines).toBe(30_969_460_001n);
	});
	it("contains no spreadsheet formulas", () => {
		expect(rows.find((r) => r["section"] === "bill" && r["detail"] === "unexplained")?.["text"]).toBe("'=cmd() is text, not a formula");
	});
	it("ends every line with CRLF", () => expect(statementCsv(aView()).replaceAll("\r\n", "")).not.toContain("\n"));
});

describe("figures", () => {
	it.each([
		["0", "0.00"],
		["4999", "< 0.01"],
		["-4999", "> -0.01"],
		["5000", "0.01"],
		["-999995000", "-1,000.00"],
		["1234567891234", "1,234,567.89"],
	])("formats %s micro-dollars as %s", (micro, text) => expect(dollars(micro)).toBe(text));
	it("formats hours in tenths of 3,600,000 ms and exact dollars with six decimals", () => {
		expect(gpuHours("4377600000")).toBe("1,216.0");
		expect(exactDollars("-1")).toBe("-0.000001");
	});
});
