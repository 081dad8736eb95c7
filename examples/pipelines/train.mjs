// Trains a model on prepared names: node train.mjs NAMES-FOLDER --rate 1 --epochs 4 [--limit 800]
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { featuresOf, learn, newModel } from "./model.mjs";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		rate: { type: "string", default: "1" },
		epochs: { type: "string", default: "4" },
		limit: { type: "string", default: "800" },
	},
});
const out = process.env.SPILLWAY_OUTPUT_MODEL ?? "out/model";
const all = JSON.parse(readFileSync(join(positionals[0] ?? "names", "train.json"), "utf8"));
const every = Math.max(1, Math.floor(all.length / Number(values.limit)));
const examples = all.filter((_, i) => i % every === 0).map(([language, name]) => ({ language, features: featuresOf(name) }));
const model = newModel([...new Set(examples.map(({ language }) => language))].sort());
for (let epoch = 1; epoch <= Number(values.epochs); epoch++) {
	let loss = 0;
	for (const { language, features } of examples) loss += learn(model, features, model.classes.indexOf(language), Number(values.rate));
	console.log(`epoch ${epoch} loss=${(loss / examples.length).toFixed(5)}`);
}
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "model.json"), JSON.stringify({ ...model, rate: Number(values.rate) }));
