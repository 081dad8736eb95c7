/**
 * Seeded kills during save, restore, upload and delivery: `node server/chaos/stores/main.ts [--runs N] [--seed N] [--json]`.
 * Prints each violation with its seed, and the totals, also of a run that SIGINT or SIGTERM ends early. Needs rclone.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createDatabaseOn } from "#server/db/testing/throwaway.ts";
import { startThrowawayPostgres } from "../../../scripts/test-postgres.mjs";
import { KILL_STEPS, runKill } from "./kill-run.ts";
import { StoreWorld } from "./store-world.ts";

const { values: args } = parseArgs({
	options: {
		runs: { type: "string", default: "1000" },
		seed: { type: "string", default: "1" },
		json: { type: "boolean", default: false },
	},
});
const folder = await mkdtemp(path.join(tmpdir(), "spillway-store-kills-"));
const postgres = await startThrowawayPostgres();
const database = await createDatabaseOn(postgres.url);
const world = await StoreWorld.start(database.db, folder);
const sums = { seeds: 0, killed: 0, completeCheckpointsLost: 0, partialRestores: 0, resultsLost: 0 };
const steps = Object.fromEntries(KILL_STEPS.map((step) => [step, 0]));
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => (isStopped = true));
try {
	const first = Number(args.seed);
	for (let seed = first; seed < first + Number(args.runs) && !isStopped; seed++) {
		const result = await runKill(world, database.db, folder, seed);
		sums.seeds += 1;
		if (result.killed !== null) {
			sums.killed += 1;
			steps[result.step] = (steps[result.step] ?? 0) + 1;
		}
		const { completeCheckpointsLost, partialRestores, resultsLost } = result;
		sums.completeCheckpointsLost += completeCheckpointsLost;
		sums.partialRestores += partialRestores;
		sums.resultsLost += resultsLost;
		if (completeCheckpointsLost + partialRestores + resultsLost > 0) process.stderr.write(`${JSON.stringify(result)}\n`);
		else if (!args.json && sums.seeds % 10 === 0) process.stderr.write(`${sums.seeds} seeds\n`);
	}
} finally {
	process.stdout.write(`${JSON.stringify({ ...sums, steps })}\n`);
	await world.close();
	await database.drop();
	await postgres.stop();
	await rm(folder, { recursive: true, force: true });
}
