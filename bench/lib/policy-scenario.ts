import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Policy } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { defaultScenario, OWNED_POOL_IDS } from "#server/simulation/replay/default-scenario.ts";
import type { Availability, ReplayScenario } from "#server/simulation/replay/types.ts";
import { parseAvailability } from "#server/simulation/scenario-file/availability-file.ts";
import { boardWattsOf, catalogueHome, HOME_ZONE, offersOf } from "./catalogue.ts";
import { hourlyGrid } from "./hourly-grid.ts";

export const SHARED = path.resolve(import.meta.dirname, "../../../shared/data");
const ACCELERATOR = "A100-80GB";
const START_MS = Date.UTC(2026, 0, 5);

/** @throws SpillwayError when the file contains no valid policy. */
export function readPolicy(file: string): Policy {
	const { policy, problems } = parsePolicy(readFileSync(file, "utf8"));
	if (policy) return policy;
	throw new SpillwayError("invalid_input", `${file}: ${problems.map((p) => `${p.line}:${p.column} ${p.message}`).join(" ")}`);
}

/** Recorded spot availability from a file. Without a name, from the recordings next to this repository, or none if they are absent. */
export function readSpotTraces(named: string | undefined): Availability[] {
	const given = named ?? path.join(SHARED, "spot/availability_runs.csv.gz");
	if (named === undefined && !existsSync(given)) return [];
	const bytes = readFileSync(given);
	return [...parseAvailability((given.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8"), given).values()];
}

/** The scenario of the policy benchmarks (default-scenario.ts): A100-80GB at the catalog's prices. */
export function policyScenario(given: {
	ownedGpus: number;
	seed: number;
	spotTraces: readonly Availability[];
	grid?: string | undefined;
}): ReplayScenario {
	const offers = offersOf(ACCELERATOR, START_MS);
	return defaultScenario({
		ownedGpus: given.ownedGpus,
		pool: catalogueHome(ACCELERATOR),
		offers,
		grid: hourlyGrid(given.grid ?? path.join(SHARED, "carbon/hourly"), offers, { poolIds: OWNED_POOL_IDS, zone: HOME_ZONE }),
		boardWatts: boardWattsOf(ACCELERATOR),
		spotTraces: given.spotTraces,
		startMs: START_MS,
		seed: given.seed,
	});
}
