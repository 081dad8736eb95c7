/**
 * Runs a foreign queue on a real Slurm together with a cloud under one policy, killing schedulers at random:
 * `node server/chaos/queue/main.ts [--jobs 50] [--longest 20] [--deaths 10] [--seed 1] [--nodes 4] [--gpus 8] [--accounting] [--json]
 * [--verbose]`, as root on Debian with Slurm's packages; `--accounting` with slurmdbd's and MariaDB's too. Exits with 1 if a
 * guarantee was violated.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { createDatabaseOn } from "#server/db/testing/throwaway.ts";
import { whyNoAccounting, whyNoSlurm } from "#server/providers/slurm/testing/slurm-programs.ts";
import { startThrowawayPostgres } from "../../../scripts/test-postgres.mjs";
import { CloudPorts } from "../emulated-cloud.ts";
import { runQueue } from "./run-queue.ts";

const { values } = parseArgs({
	options: {
		jobs: { type: "string", default: "50" },
		longest: { type: "string", default: "20" },
		deaths: { type: "string", default: "10" },
		seed: { type: "string", default: "1" },
		nodes: { type: "string", default: "4" },
		gpus: { type: "string", default: "8" },
		accounting: { type: "boolean", default: false },
		json: { type: "boolean", default: false },
		verbose: { type: "boolean", default: false },
	},
});
const LIMIT_MS = 900_000;
const missing = values.accounting ? whyNoAccounting() : whyNoSlurm();
if (missing !== null) {
	process.stderr.write(`There is no Slurm to try: ${missing}\n`);
	process.exit(2);
}
/** The database client leaves a rejection unhandled when a session is cut while opening (fetchArrayTypes). */
process.on("unhandledRejection", (error) => process.stderr.write(`unhandled: ${String(error)}\n`));
await import("../../../scripts/build-agent.mjs");
const file = path.resolve(import.meta.dirname, "../../../dist/agent.mjs");
const agent = { file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
const server = await startThrowawayPostgres();
const database = await createDatabaseOn(server.url);
const ports = new CloudPorts();
const begunMs = performance.now();
const log = (text: string): void => {
	if (values.verbose) process.stderr.write(`${(performance.now() - begunMs).toFixed(0).padStart(7)} ${text}\n`);
};
let broken = true;
try {
	const report = await runQueue({
		...{ databaseUrl: database.url, ports, agent, log, limitMs: LIMIT_MS },
		...{ seed: Number(values.seed), jobs: Number(values.jobs), deaths: Number(values.deaths), longest: Number(values.longest) },
		...{ nodes: Number(values.nodes), gpusPerNode: Number(values.gpus), accounting: values.accounting },
	});
	broken = Object.values(report.violations).some((v) => v.length > 0);
	process.stdout.write(`${values.json ? JSON.stringify(report, null, "\t") : render(report)}\n`);
} finally {
	await ports.close();
	await database.drop();
	await server.stop();
}
process.exit(broken ? 1 : 0);

function render(report: Awaited<ReturnType<typeof runQueue>>): string {
	const { theirs, ours, violations } = report;
	return [
		`seed ${report.seed}: ${report.jobs} jobs in ${(report.tookMs / 1_000).toFixed(0)} s, ${report.deaths.length} schedulers killed (${report.deaths.join(", ")})`,
		`theirs: ${theirs.cloud} in the cloud, ${theirs.home} at home; ours: ${ours.cloud} in the cloud, ${ours.home} at home`,
		`Our GPU-seconds at home: ${report.sacctGpuSeconds} by sacct, ${report.chargedGpuSeconds} charged`,
		...Object.entries(violations).map(([promise, broken]) => `${promise}: ${broken.length === 0 ? "none" : broken.join("; ")}`),
	].join("\n");
}
