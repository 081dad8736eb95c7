// `npm run walk:pipelines -- [--json] [--only example,drops,sweep,mlflow] [--keep]`: the promises of pipelines, sweeps, triggers and
// MLflow on a fresh demo, with the scheduler killed in between. Exit code 1 if one does not hold. About ten minutes on two cores.
// --keep leaves the demo's folder, which has its logs.
import process from "node:process";
import { parseArgs } from "node:util";
import { describeError } from "./lib/plain-error.mjs";
import { Demo } from "./walk/demo.mjs";
import { walkDrops } from "./walk/drops.mjs";
import { walkExample } from "./walk/example.mjs";
import { walkMlflow } from "./walk/mlflow.mjs";
import { walkSweep } from "./walk/sweep.mjs";

const PARTS = { example: walkExample, mlflow: walkMlflow, drops: walkDrops, sweep: walkSweep };

async function walk(demo, names) {
	const broken = [];
	const seen = {};
	for (const name of names) {
		const expect = (holds, promise) => holds || broken.push(promise);
		seen[name] = await PARTS[name](demo, expect).catch((error) => {
			broken.push(`${name}: ${describeError(error)}`);
			return null;
		});
	}
	return { ...seen, schedulerKills: demo.kills, broken };
}

const { values } = parseArgs({
	options: { json: { type: "boolean" }, only: { type: "string", default: Object.keys(PARTS).join() }, keep: { type: "boolean" } },
});
const names = values.only.split(",");
const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
	console.error(`--only: "${unknown}" is not one of ${Object.keys(PARTS).join(", ")}.`);
	process.exit(2);
}
const demo = await Demo.start();
try {
	const seen = await walk(demo, names);
	console.log(JSON.stringify(seen, null, values.json ? undefined : 2));
	process.exitCode = seen.broken.length === 0 ? 0 : 1;
} finally {
	await demo.stop({ keep: values.keep });
	if (values.keep) console.error(`Kept: ${demo.folder}`);
}
