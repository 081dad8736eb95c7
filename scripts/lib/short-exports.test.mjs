import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { shortenExports, shortenInstalledExports } from "./short-exports.mjs";

const fileOf = (stem) => ({ import: { types: `./${stem}.d.ts`, default: `./${stem}.js` }, default: `./${stem}.js` });
const EXPORTS = { ".": fileOf("index"), "./a": fileOf("a"), "./b/c": fileOf("b/c"), "./b": fileOf("b/index"), "./data": "./data.json" };

describe("shorter exports", () => {
	it("replace the most frequent form by a pattern and keep the others", () => {
		expect(shortenExports(EXPORTS)).toEqual({
			...{ ".": fileOf("index"), "./b": fileOf("b/index"), "./data": "./data.json", "./*": fileOf("*") },
		});
	});

	it("are not made of a list with its own patterns, or without repetition", () => {
		for (const exports of [
			{ "./*": "./*.js", "./a": "./a.js", "./b": "./b.js" },
			{ ".": "./index.js", "./a": "./b.js" },
		])
			expect(shortenExports(exports)).toBe(exports);
	});
});

describe("the installed package", () => {
	let clone;
	beforeEach(() => {
		clone = mkdtempSync(path.join(os.tmpdir(), "spillway-exports-test-"));
		mkdirSync(path.join(clone, "node_modules/drizzle-orm"), { recursive: true });
	});
	afterEach(() => rmSync(clone, { recursive: true }));

	it("may be missing", () => {
		expect(() => shortenInstalledExports(path.join(clone, "elsewhere"))).not.toThrow();
	});

	it("is rewritten once, with its other fields", () => {
		const file = path.join(clone, "node_modules/drizzle-orm/package.json");
		writeFileSync(file, JSON.stringify({ name: "drizzle-orm", exports: EXPORTS }));
		shortenInstalledExports(clone);
		const text = readFileSync(file, "utf8");
		expect(JSON.parse(text)).toEqual({ name: "drizzle-orm", exports: shortenExports(EXPORTS) });
		shortenInstalledExports(clone);
		expect(readFileSync(file, "utf8")).toBe(text);
	});
});
