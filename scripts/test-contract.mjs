// `npm run test:contract -- --driver NAME`: runs the contract suite of one driver, or of all without a name, and the suite for
// adoption from its clusters if there is one. `--with-accounting` also tests Slurm's limits and slurmdbd accounting. Variables for
// suites that can run against an existing cluster or account are in server/providers/contract/README.md.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildIfChanged } from "./lib/build.mjs";
import { projectNode, projectPath, root } from "./lib/node.mjs";
import { describeError, PlainError } from "./lib/plain-error.mjs";

const EXAMPLE = "for example: npm run test:contract -- --driver slurm";

/** @returns {Map<string, string[]>} each driver's suites by its name: those in its folder, and for adoption from its clusters */
function suites() {
	const files = globSync(["server/providers/*/*.contract.test.ts", "server/control-loop/adoption-*.db.test.ts"], { cwd: root }).sort();
	return Map.groupBy(files, (file) => /adoption-(.*)\.db\.test\.ts$/.exec(file)?.[1] ?? path.basename(path.dirname(file)));
}

try {
	const { values } = parseArgs({ options: { driver: { type: "string" }, "with-accounting": { type: "boolean", default: false } } });
	const known = suites();
	const files = values.driver === undefined ? [...known.values()].flat() : known.get(values.driver);
	if (!files)
		throw new PlainError(
			`There is no contract suite of a driver "${values.driver}".`,
			`name one of ${[...known.keys()].join(", ")}; ${EXAMPLE}`,
		);
	await buildIfChanged("agent");
	// The suites of one driver may share an existing cluster, so they run one by one to avoid taking each other's GPUs.
	const args = [path.join(root, "node_modules/vitest/vitest.mjs"), "run", "--no-file-parallelism", ...files];
	const env = { ...process.env, PATH: projectPath(), ...(values["with-accounting"] ? { SPILLWAY_CONTRACT_SLURM_ACCOUNTING: "1" } : {}) };
	const { status } = spawnSync(projectNode(), args, { cwd: root, stdio: "inherit", env });
	process.exitCode = status ?? 1;
} catch (error) {
	console.error(error?.code?.startsWith("ERR_PARSE_ARGS") ? `${error.message}\nWhat to do: ${EXAMPLE}` : describeError(error));
	process.exitCode = 2;
}
