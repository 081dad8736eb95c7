import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { csvField, csvText } from "./csv.ts";

it.each(["=1+1", "+1", "@SUM(A1)", "-2+3+cmd", "-", "\t=1", "＝1+1", "－1+1", "=cmd|' /C calc'!A0"])("neutralizes %j", (text) => {
	expect(csvField(text)).toBe(`'${text}`);
});

it.each(["-1.5", "-0.000001", "-1e-7", "-12.5%", "12", "", "a=1", "'=1", "NULL"])("leaves %j as it is", (text) => {
	expect(csvField(text)).toBe(text);
});

it.each([
	["a,b", '"a,b"'],
	['say "x"', '"say ""x"""'],
	["two\nlines", '"two\nlines"'],
	["\r=1", '"\'\r=1"'],
	["\n=1", '"\'\n=1"'],
	['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
])("quotes %j", (text, field) => {
	expect(csvText([[text, "x"]])).toBe(`${field},x\r\n`);
});

it("is the only rule: every export uses it", () => {
	const root = new URL("../../", import.meta.url);
	const files = globSync("{server,components,cli,app}/**/*.{ts,tsx}", { cwd: root, exclude: (file) => file.includes("node_modules") });
	const text = (file: string) => readFileSync(new URL(file, root), "utf8");
	const rules = files.filter((file) => !file.endsWith(".test.ts") && /\/\^\[=\+|\[",\\r\\n\]/.test(text(file)));
	expect(rules).toEqual(["server/kernel/csv.ts"]);
});
