import { describe, expect, it } from "vitest";
import { fields, table } from "./table.ts";

const plain = { columns: null, color: false };
const columns = [
	{ head: "NAME", cell: (r: { name: string; n: number; why: string }) => r.name },
	{ head: "N", cell: (r: { n: number }) => String(r.n), right: true as const },
	{ head: "WHY", cell: (r: { why: string }) => r.why, style: () => "red" as const },
];
const rows = [
	{ name: "a", n: 5, why: "short" },
	{ name: "longer", n: 1234, why: "a reason that goes on and on" },
];

describe("table", () => {
	it("aligns, numbers to the right, without spaces at the end", () => {
		expect(table(plain, columns, rows, { empty: "none" })).toBe(
			"NAME       N  WHY\na          5  short\nlonger  1234  a reason that goes on and on\n",
		);
	});
	it("cuts its last column to the terminal width and nothing on a pipe", () => {
		const lines = table({ ...plain, columns: 30 }, columns, rows, { empty: "none" }).split("\n");
		expect(lines[2]).toBe("longer  1234  a reason that g…");
		expect(lines[2]).toHaveLength(30);
	});
	it("removes control characters from external text", () => {
		const text = table(plain, columns, [{ name: "a\u001b[31m\nb", n: 1, why: "x\ty\u009b" }], { empty: "none" });
		expect(text).toBe("NAME     N  WHY\na [31m b  1  x y\n".replace("NAME     N", "NAME      N"));
	});
	it("uses colors only if allowed, without shifting columns", () => {
		const colored = table({ ...plain, color: true }, columns, rows, { empty: "none" });
		expect(colored).toContain("\u001b[31mshort\u001b[0m");
		// biome-ignore lint/suspicious/noControlCharactersInRegex: color codes are what is taken out
		expect(colored.replace(/\u001b\[\d+m/g, "")).toBe(table(plain, columns, rows, { empty: "none" }));
	});
	it("prints a sentence when empty, and ends with totals", () => {
		expect(table(plain, columns, [], { empty: "No jobs match." })).toBe("No jobs match.\n");
		expect(
			table(plain, columns, rows, { empty: "", totals: ["total", "1239", ""] })
				.split("\n")
				.at(-2),
		).toBe("total   1239");
	});
});

describe("fields", () => {
	it("align values and omit missing ones", () => {
		expect(
			fields(plain, [
				["job", "x"],
				["absent", null],
				["reason", "one\ntwo"],
			]),
		).toBe("job     x\nreason  one\n        two\n");
	});
});
