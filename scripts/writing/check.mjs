// Finds the words of word-list.mjs in comments, strings, names and documents, by room.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { readText } from "./read-text.mjs";
import { WORD_LIST } from "./word-list.mjs";

/** @typedef {{file: string, line: number, word: string, use: string, kind: string}} Finding */
/** @typedef {{file: string, word?: string, reason: string}} Exception allows one word in a file, or every word without `word` */

const READ = /\.(ts|tsx|mts|mjs|js|md|css|sql|yaml|yml|sh)$/;
/** Data and generated text: not written by us, or written by the code that is checked. */
const NOT_READ = /(^|\/)(golden|data|meta|node_modules)\/|^package-lock\.json$|LICENSE/;
const RULES = WORD_LIST.map(({ pattern, use }) => ({ match: new RegExp(`\\b(?:${pattern})\\b`, "gi"), use }));

/**
 * @param {string} base folder of the project
 * @param {string[]} places files and folders to read; none reads the whole project
 * @param {Exception[]} exceptions
 * @returns {{files: number, findings: Finding[], unused: Exception[]}} `unused` are exceptions that match no text in `places`
 */
export function checkWords(base, places, exceptions) {
	const files = listFiles(base, places);
	const used = new Set();
	const findings = [];
	for (const file of files) {
		const excused = exceptions.filter((exception) => exception.file === file);
		for (const finding of findWords(file, readFileSync(path.join(base, file), "utf8"))) {
			const excuse = excused.find(({ word }) => word === undefined || word.toLowerCase() === finding.word.toLowerCase());
			if (excuse) used.add(excuse);
			else findings.push({ file, ...finding });
		}
	}
	const unused = exceptions.filter(
		(exception) => !used.has(exception) && (files.includes(exception.file) || !existsSync(path.join(base, exception.file))),
	);
	return { files: files.length, findings, unused };
}

/**
 * @param {string} file
 * @param {string} content
 * @returns {Omit<Finding, "file">[]}
 */
export function findWords(file, content) {
	return readText(file, content)
		.flatMap(({ line, text, kind }) =>
			RULES.flatMap(({ match, use }) => [...text.matchAll(match)].map(([word]) => ({ line, word, use, kind }))),
		)
		.sort((a, b) => a.line - b.line);
}

/** Tracked files and new ones, without what Git ignores. */
function listFiles(base, places) {
	const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...places], {
		cwd: base,
		encoding: "utf8",
		maxBuffer: 64 * 1024 * 1024,
	});
	return [...new Set(listed.split("\n"))].filter((file) => READ.test(file) && !NOT_READ.test(file) && existsSync(path.join(base, file)));
}

/** The room of a file: two folders deep in the big trees, one elsewhere. */
export function roomOf(file) {
	const folders = path.posix.dirname(file).split("/");
	const depth = ["server", "components", "app", "cli", "scripts"].includes(folders[0]) ? 2 : 1;
	return folders.slice(0, depth).join("/");
}

/** @param {Finding[]} findings @returns {Record<string, number>} findings per room, sorted by name */
export function countByRoom(findings) {
	const counts = {};
	for (const { file } of findings) counts[roomOf(file)] = (counts[roomOf(file)] ?? 0) + 1;
	return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
