// Tests every trained model and keeps the best: node evaluate.mjs MODELS-FOLDER NAMES-FOLDER
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accuracyOf } from "./model.mjs";

const [models = "models", names = "names"] = process.argv.slice(2);
const out = process.env.SPILLWAY_OUTPUT_BEST ?? "out/best";
const test = JSON.parse(readFileSync(join(names, "test.json"), "utf8"));
const files = readdirSync(models, { recursive: true }).filter((file) => file.endsWith("model.json"));
const results = files
	.map((file) => {
		const model = JSON.parse(readFileSync(join(models, file), "utf8"));
		return { file, rate: model.rate, accuracy: accuracyOf(model, test) };
	})
	.sort((a, b) => b.accuracy - a.accuracy);
const [best] = results;
if (!best) throw new Error(`there is no model below ${models}`);
mkdirSync(out, { recursive: true });
copyFileSync(join(models, best.file), join(out, "model.json"));
writeFileSync(join(out, "report.json"), JSON.stringify({ results }, null, "\t"));
for (const [i, { rate, accuracy }] of results.entries()) console.log(`model ${i + 1} rate=${rate} accuracy=${accuracy.toFixed(4)}`);
