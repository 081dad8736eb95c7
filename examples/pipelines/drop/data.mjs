// The data set as numbers: each name becomes counts of its letters, pairs and triples, hashed into a fixed number of features.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const FEATURES = 1024;

/** FNV-1a, 32 bits. */
function hash(text) {
	let h = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
	return h;
}

/** Sparse features of a name: which, and how much of each; the length of the vector is 1. */
function featuresOf(name) {
	const text = `^${name.toLowerCase()}$`;
	const counts = new Map();
	for (let n = 1; n <= 3; n++) {
		for (let i = 0; i + n <= text.length; i++) {
			const feature = hash(text.slice(i, i + n)) % FEATURES;
			counts.set(feature, (counts.get(feature) ?? 0) + 1);
		}
	}
	const length = Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0));
	return { indices: [...counts.keys()], values: [...counts.values()].map((count) => count / length) };
}

/**
 * Every fifth country, language or currency is held out for testing, in all languages at once: a country learned by
 * name in one language is never tested in another.
 */
export function loadNames(file = join(import.meta.dirname, "names.tsv")) {
	const text = readFileSync(file, "utf8");
	const records = text
		.split("\n")
		.slice(1)
		.filter((line) => line !== "")
		.map((line) => line.split("\t"));
	const classes = [...new Set(records.map(([language]) => language))].sort();
	const train = [];
	const test = [];
	for (const [language, type, code, name] of records) {
		const example = { ...featuresOf(name), label: classes.indexOf(language), name };
		(hash(`${type} ${code}`) % 5 === 0 ? test : train).push(example);
	}
	return { classes, train, test, digest: createHash("sha256").update(text).digest("hex") };
}
