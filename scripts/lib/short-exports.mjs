// Shortens the list of exports in the package.json of drizzle-orm, without changing what it exports. Node 24 parses this list, 130 kB,
// again for each import that leads into the package, which took three quarters of the processor time of a program's start.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./node.mjs";

const READ_ONLY = ["EACCES", "EPERM", "EROFS"];

/**
 * Replaces entries of the same form by one pattern.
 * @param {Record<string, unknown>} exports
 * @returns {Record<string, unknown>} equivalent exports
 */
export function shortenExports(exports) {
	if ("./*" in exports) return exports;
	const formOf = ([name, targets]) => JSON.stringify(targets).replaceAll(`"${name}.`, '"./*.');
	const counts = new Map();
	for (const form of Object.entries(exports).map(formOf)) counts.set(form, (counts.get(form) ?? 0) + 1);
	const [form, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
	if (count < 2) return exports;
	return { ...Object.fromEntries(Object.entries(exports).filter((entry) => formOf(entry) !== form)), "./*": JSON.parse(form) };
}

/** Where there is no such package, or it cannot be written to, programs start as before, more slowly. */
export function shortenInstalledExports(projectRoot = root) {
	const file = path.join(projectRoot, "node_modules/drizzle-orm/package.json");
	if (!existsSync(file)) return;
	const manifest = JSON.parse(readFileSync(file, "utf8"));
	const exports = shortenExports(manifest.exports);
	if (exports === manifest.exports) return;
	try {
		// A new file, because clones may share this one by hard links, and programs may be reading it.
		const draft = `${file}.${process.pid}`;
		writeFileSync(draft, JSON.stringify({ ...manifest, exports }, null, 2));
		renameSync(draft, file);
	} catch (error) {
		if (!READ_ONLY.includes(error.code)) throw error;
	}
}
