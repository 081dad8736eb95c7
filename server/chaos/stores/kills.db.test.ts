import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { KILL_STEPS, runKill } from "./kill-run.ts";
import { StoreWorld } from "./store-world.ts";

/** Number of jobs, each with a kill at a request drawn from its seed. */
const SEEDS = cases(4, 1_000);
const FIRST_SEED = Number(process.env["SPILLWAY_TEST_SEED"] ?? 1);
let database: TestDatabase;
let folder: string;
let world: StoreWorld;

beforeAll(async () => {
	database = await createTestDatabase();
	folder = await mkdtemp(path.join(tmpdir(), "spillway-store-kills-"));
	world = await StoreWorld.start(database.db, folder);
});
afterAll(async () => {
	await world.close();
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

it(
	`loses no complete checkpoint and no result, and restores none in part, with ${SEEDS} kills over ${KILL_STEPS.join(", ")}`,
	async () => {
		for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
			const { step: _, killed: __, ...broken } = await runKill(world, database.db, folder, seed);
			expect(broken).toEqual({ seed, completeCheckpointsLost: 0, partialRestores: 0, resultsLost: 0 });
		}
	},
	4 * 3_600_000,
);
