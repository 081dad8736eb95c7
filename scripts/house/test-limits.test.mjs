import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../lib/node.mjs";

/** An own limit of a test or a group: an options object between the title and the function, or a number after the function. */
const OWN_LIMIT = /(?<=[`"\w)],\s*)\{\s*timeout: [^}]*\},\s*(?:async )?\(|^\}, (?:[A-Z_]*TIMEOUT_MS|\d[\d_]+)\);$/gm;

/** The limit of a wait, with its number; closing a connection is not a wait. */
const WAIT_LIMIT = /(?<!\bend\(\{ )\btimeout: (\d[\d_]*)/g;
/** Waits and tests have no shorter limits, which are guesses about the machine and fail on a busy one. */
const GENERAL_MS = 300_000;

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
	expect(other.map((text) => [...text.matchAll(WAIT_LIMIT)].map(([, ms]) => ms))).toEqual([[], ["60_000"], []]);
});

test("no test has its own time limit, except the deep ones", () => {
	const files = execFileSync("git", ["ls-files", "*.test.ts", "*-cases.ts", "*.test.mjs"], { cwd: root, encoding: "utf8" }).split("\n");
	const deep = ["server/policy/policy.memory.test.ts", "server/api/fuzz.db.test.ts", "scripts/house/test-limits.test.mjs"];
	const hasOwnLimit = (file) => readFileSync(path.join(root, file), "utf8").search(OWN_LIMIT) !== -1;
	const found = files.filter((file) => file !== "" && !deep.includes(file) && hasOwnLimit(file));
	expect(found).toEqual([]);
});

test("no wait in a test has a limit below the general one", () => {
	const files = execFileSync("git", ["ls-files", "*.test.ts", "*.test.mjs", "*-cases.ts", "e2e"], { cwd: root, encoding: "utf8" }).split(
		"\n",
	);
	const exempt = ["scripts/house/test-limits.test.mjs", "server/api/fuzz.db.test.ts", "e2e/support/rows.ts"];
	const limits = (file) =>
		[...readFileSync(path.join(root, file), "utf8").matchAll(WAIT_LIMIT)].map(([, ms]) => Number(ms?.replaceAll("_", "")));
	const found = files.filter((file) => file !== "" && !exempt.includes(file) && limits(file).some((ms) => ms < GENERAL_MS));
	expect(found).toEqual([]);
});
