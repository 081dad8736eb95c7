// `npm run words`: words that docs/writing.md advises against.
//   npm run words                       counts per room
//   npm run words -- server/policy      each place, as file:line: word → suggestion
//   npm run words -- --check            fails if a room has more than scripts/writing/limits.json allows
//   npm run words -- --lower            lowers these limits to today's counts; it never raises one
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./lib/node.mjs";
import { checkWords, countByRoom, roomOf } from "./writing/check.mjs";

const LIMITS = path.join(root, "scripts/writing/limits.json");
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

const args = process.argv.slice(2);
const places = args.filter((arg) => !arg.startsWith("--"));
const exceptions = readJson(path.join(root, "scripts/writing/allowed.json"));
const { files, findings, unused } = checkWords(root, places, exceptions);
if (files === 0) fail(`no files to read in ${places.join(", ")}.`);
for (const { file, word } of unused)
	fail(`scripts/writing/allowed.json allows ${word ?? "every word"} in ${file}, which has none. Delete the entry.`);
if (exceptions.some(({ reason }) => !reason)) fail("an entry of scripts/writing/allowed.json has no reason.");

if (args.includes("--lower")) lower();
else if (args.includes("--check")) check();
else if (places.length > 0) print(findings);
else printCounts();

function print(list) {
	for (const { file, line, word, use } of list) console.log(`${file}:${line}: ${word} → ${use}`);
	console.log(`${list.length} words to replace in ${files} files.`);
}

function printCounts() {
	const counts = countByRoom(findings);
	for (const [room, count] of Object.entries(counts)) console.log(`${String(count).padStart(5)}  ${room}`);
	console.log(`${String(findings.length).padStart(5)}  words to replace in ${files} files. List them: npm run words -- <folder>`);
}

/** A room without a limit must have none of these words. */
function check() {
	const limits = readJson(LIMITS);
	const counts = countByRoom(findings);
	const over = Object.keys(counts).filter((room) => counts[room] > (limits[room] ?? 0));
	for (const room of over) {
		if (!limits[room]) print(findings.filter(({ file }) => roomOf(file) === room));
		fail(`${room} has ${counts[room]} words to replace; at most ${limits[room] ?? 0} are allowed. List them: npm run words -- ${room}`);
	}
	if (over.length === 0) console.log(`Words: ${files} files, ${findings.length} to replace, no room above its limit.`);
}

function lower() {
	const limits = readJson(LIMITS);
	const counts = countByRoom(findings);
	const lowered = Object.entries(limits).map(([room, limit]) => [room, Math.min(limit, counts[room] ?? 0)]);
	const kept = lowered.filter(([, limit]) => limit > 0);
	writeFileSync(LIMITS, `${JSON.stringify(Object.fromEntries(kept), undefined, "\t")}\n`);
	console.log(`${kept.length} rooms still have words to replace.`);
}

function fail(message) {
	console.error(`Words: ${message}`);
	process.exitCode = 1;
}
