// Bundles the agent, which runs on every instance, into one file that requires only Node 20 or newer.
import path from "node:path";
import { build } from "esbuild";
import { root } from "./lib/node.mjs";

const outfile = path.join(root, "dist/agent.mjs");
const result = await build({
	absWorkingDir: root,
	entryPoints: ["server/agent/main.ts"],
	outfile,
	bundle: true,
	platform: "node",
	format: "esm",
	target: "node20",
	legalComments: "none",
	metafile: true,
	logLevel: "warning",
});
const size = Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(`dist/agent.mjs: ${Math.ceil(size / 1024)} KiB`);
