// Splits a table of names by language into training and test data: node prepare.mjs FOLDER
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder = "data"] = process.argv.slice(2);
const out = process.env.SPILLWAY_OUTPUT_NAMES ?? "out/names";
const train = [];
const test = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith(".tsv")))
	for (const line of readFileSync(join(folder, file), "utf8").split("\n").slice(1)) {
		const [language, , code, name] = line.split("\t");
		if (!name) continue;
		// By its code, so that a country known by name in one language is never tested in another.
		const isTest = createHash("sha256").update(code).digest()[0] % 5 === 0;
		(isTest ? test : train).push([language, name.toLowerCase()]);
	}
// Shuffled: a model that sees one language after the other only learns the last one.
const orderOf = (name) => createHash("sha256").update(name).digest("hex");
const shuffled = (examples) => examples.map((one) => [orderOf(one.join(" ")), one]).sort(([a], [b]) => (a < b ? -1 : 1));
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "train.json"), JSON.stringify(shuffled(train).map(([, one]) => one)));
writeFileSync(join(out, "test.json"), JSON.stringify(test));
console.log(`prepared ${train.length} names to train and ${test.length} to test`);
