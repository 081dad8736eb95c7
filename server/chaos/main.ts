import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { createDatabaseOn } from "#server/db/testing/throwaway.ts";
import { startThrowawayPostgres } from "../../scripts/test-postgres.mjs";
import { CloudPorts } from "./emulated-cloud.ts";
import { CLOCK_RATE } from "./fast-clock.ts";
import { drawPlan, type Plan } from "./plan.ts";
import { renderReport } from "./report.ts";
import { type RunReport, runOnce } from "./run.ts";
import { SCENES } from "./scenes.ts";

/** Runs at the same time: most of a run is waiting. */
const SLOTS = 4;

const { values } = parseArgs({
	options: {
		runs: { type: "string", default: "20" },
		seed: { type: "string", default: "1" },
		slots: { type: "string", default: String(SLOTS) },
		rate: { type: "string", default: String(CLOCK_RATE) },
		json: { type: "boolean", default: false },
		scene: { type: "string" },
		jobs: { type: "string" },
		verbose: { type: "boolean", default: false },
	},
});
/** The client of the database leaves one unhandled when a session is cut while it is being opened (fetchArrayTypes). */
process.on("unhandledRejection", (error) => process.stderr.write(`unhandled: ${String(error)}\n`));
await import("../../scripts/build-agent.mjs");
const file = path.resolve(import.meta.dirname, "../../dist/agent.mjs");
const agent = { file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
const server = await startThrowawayPostgres();
const reports: RunReport[] = [];
const failed: number[] = [];
const firstSeed = Number(values.seed);
const scene = values.scene === undefined ? null : SCENES[values.scene];
if (scene === undefined) {
	process.stderr.write(`There is no scene ${values.scene}; there are: ${Object.keys(SCENES).join(", ")}.\n`);
	process.exit(2);
}
const planOf = (seed: number): Plan => scene?.plan(Number(values.jobs ?? scene.jobs)) ?? drawPlan(seed);
const seeds = Array.from({ length: scene ? 1 : Number(values.runs) }, (_, i) => firstSeed + i);
const startedMs = performance.now();
// Told to stop, it begins no further run and tells of those that it has made.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => seeds.splice(0));

await Promise.all(
	Array.from({ length: Math.min(Number(values.slots), seeds.length) }, async () => {
		const ports = new CloudPorts();
		for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
			const report = await runSeed(seed, ports);
			if (report) reports.push(report);
			else failed.push(seed);
		}
		await ports.close();
	}),
);
await server.stop();
reports.sort((a, b) => a.seed - b.seed);
const tookMs = Math.round(performance.now() - startedMs);
process.stdout.write(values.json ? `${JSON.stringify({ tookMs, failed, reports }, null, "\t")}\n` : renderReport(reports, tookMs, failed));
process.exit(
	failed.length > 0 || reports.some((r) => r.unrest.length > 0 || Object.values(r.violations).some((v) => v.length > 0)) ? 1 : 0,
);

async function runSeed(seed: number, ports: CloudPorts): Promise<RunReport | null> {
	const database = await createDatabaseOn(server.url);
	const began = performance.now();
	const log = (text: string): void => {
		if (values.verbose) process.stderr.write(`${seed} ${(performance.now() - began).toFixed(0).padStart(6)} ${text}\n`);
	};
	try {
		const report = await runOnce({ plan: planOf(seed), databaseUrl: database.url, ports, agent, rate: Number(values.rate), log });
		const broken = [...report.unrest, ...Object.values(report.violations).flat()];
		if (broken.length > 0) process.stderr.write(`seed ${seed}: ${broken.join("; ")}\n`);
		return report;
	} catch (error) {
		// Neither passed nor broken a promise: the run itself could not be made.
		process.stderr.write(`seed ${seed} could not be run: ${String(error)}\n`);
		return null;
	} finally {
		await database.drop();
	}
}
