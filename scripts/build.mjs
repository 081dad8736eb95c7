// `npm run build`: the web pages and the agent, each only when its sources changed.
import process from "node:process";
import { buildIfChanged } from "./lib/build.mjs";
import { describeError } from "./lib/plain-error.mjs";
import { createProgress } from "./lib/progress.mjs";

try {
	const progress = createProgress();
	for (const name of ["agent", "web"]) await progress.run(`Building the ${name}`, () => buildIfChanged(name));
} catch (error) {
	console.error(describeError(error));
	process.exitCode = 1;
}
