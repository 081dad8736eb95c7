// Walks parts of the product on a fresh demo and prints what it saw. Exit code 1 if a promise does not hold.
import process from "node:process";
import { parseArgs } from "node:util";
import { describeError } from "../lib/plain-error.mjs";
import { Demo } from "./demo.mjs";

async function walk(demo, parts, names) {
	const broken = [];
	const seen = {};
	for (const name of names) {
		const expect = (holds, promise) => holds || broken.push(promise);
		seen[name] = await parts[name](demo, expect).catch((error) => {
			broken.push(`${name}: ${describeError(error)}`);
			return null;
		});
	}
	return { ...seen, schedulerKills: demo.kills, broken };
}

/**
 * Options of the command line: --json, --only NAMES, --keep (leaves the demo's folder, which has its logs).
 * @param {Record<string, (demo: Demo, expect: (holds: boolean, promise: string) => void) => Promise<object>>} parts
 */
export async function runWalk(parts) {
	const { values } = parseArgs({
		options: { json: { type: "boolean" }, only: { type: "string", default: Object.keys(parts).join() }, keep: { type: "boolean" } },
	});
	const names = values.only.split(",");
	const unknown = names.find((name) => !Object.hasOwn(parts, name));
	if (unknown !== undefined) {
		console.error(`--only: "${unknown}" is not one of ${Object.keys(parts).join(", ")}.`);
		process.exit(2);
	}
	const demo = await Demo.start();
	try {
		const seen = await walk(demo, parts, names);
		console.log(JSON.stringify(seen, null, values.json ? undefined : 2));
		process.exitCode = seen.broken.length === 0 ? 0 : 1;
	} finally {
		await demo.stop({ keep: values.keep });
		if (values.keep) console.error(`Kept: ${demo.folder}`);
	}
}
