import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../lib/node.mjs";

/** An own limit of a test or a group: an options object between the title and the function, or a number after the function. */
const OWN_LIMIT = /(?<=[`"\w)],\s*)\{\s*timeout: [^}]*\},\s*(?:async )?\(|^\}, (?:[A-Z_]*TIMEOUT_MS|\d[\d_]+)\);$/gm;

test("recognizes a test's own limit, and no other time limit", () => {
	const own = [
		'it("a", { timeout: 5_000 }, async () => {',
		"describe(`b`,\n\t{ timeout: LONG_MS },\n\t() => {",
		"}, 30_000);",
		"}, TIMEOUT_MS);",
	];
	const other = ["await one.end({ timeout: 1 });", "await expect.poll(look, { timeout: 60_000 }).toBe(3);", 'it("a", async () => {'];
	expect(own.map((text) => text.match(OWN_LIMIT)?.length)).toEqual([1, 1, 1, 1]);
	expect(other.map((text) => text.match(OWN_LIMIT))).toEqual([null, null, null]);
});

// Every limit below the general one in vitest.config.ts is a guess about the machine, and fails on a busy one.
test("no test has its own time limit, except the deep ones", () => {
	const files = execFileSync("git", ["ls-files", "*.test.ts", "*-cases.ts", "*.test.mjs"], { cwd: root, encoding: "utf8" }).split("\n");
	const deep = ["server/policy/policy.memory.test.ts", "server/api/fuzz.db.test.ts", "scripts/house/test-limits.test.mjs"];
	const hasOwnLimit = (file) => readFileSync(path.join(root, file), "utf8").search(OWN_LIMIT) !== -1;
	const found = files.filter((file) => file !== "" && !deep.includes(file) && hasOwnLimit(file));
	expect(found).toEqual([]);
});
