/**
 * Whether jobs are placed by the cost of their work: `npm run bench:throughput -- [--table FILE] [--json] [--jobs N] [--seed N] [--price
 * NAME=USD] [--no-prior]`.
 *
 * FILE has a row for each kind of job and number of GPUs: `model,gpus,NAME_steps_per_s,…` (the columns of the Gavel artifact; 0 or empty:
 * it cannot run there; columns named `*_unconsolidated_*` are left out). Each row is a family of jobs with its own run times. All are
 * replayed on rented machines, one offer for each accelerator and size, by Spillway's core with no knowledge but the shipped prior
 * (`--no-prior`: without that), by an oracle with all speeds, and by the cheapest hour.
 *
 * - toOracle: cost ÷ the oracle's, of all jobs after the first ten of each family;
 * - toCheapestHour: cost ÷ the cheapest hour's, of all jobs, including those that speeds were learned from.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { parse as parseCsv } from "csv-parse/sync";
import type { Offer } from "#server/domain/capacity.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { throughputPrior } from "#server/rates/throughput.ts";
import { NO_PRIOR } from "#server/scheduling/throughput/estimate-speeds.ts";
import { Engine, type Strategy, type World } from "#server/simulation/replay/engine.ts";
import type { SeenJob } from "#server/simulation/replay/run.ts";
import { Spillway } from "#server/simulation/replay/strategies/spillway.ts";
import { trueSpeed } from "#server/simulation/replay/true-speeds.ts";
import type { ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";

import { print, round } from "./lib/figures.ts";
import { readSpeedTable, type SpeedFamily } from "./lib/speed-table.ts";
import { hourlyPrices } from "./lib/speed-table-prices.ts";

const START_MS = Date.UTC(2026, 0, 5);
/** Runs of a family before it is scored against the oracle. */
const LEARNING_RUNS = 10;
/** Run times on the reference are log-normal: median 4 h, and 2.5 times that at one standard deviation. Synthetic. */
const MEDIAN_MS = 4 * HOUR_MS;
const SPREAD = Math.log(2.5);

const { values: args } = parseArgs({
	options: {
		table: { type: "string", default: path.join(import.meta.dirname, "throughput-sample.csv") },
		json: { type: "boolean", default: false },
		jobs: { type: "string", default: "30" },
		seed: { type: "string", default: "1" },
		price: { type: "string", multiple: true, default: [] },
		"no-prior": { type: "boolean", default: false },
	},
});

const POLICY = `apiVersion: spillway/v1
kind: Policy
metadata: { name: cheapest-work }
spec:
  rules:
    - { id: rent, burst: { always: true } }
    - { id: lifetime, limit: { instanceHours: 720 } }
  weights: { delayUsdPerHour: 0, carbonUsdPerTonne: 0 }
`;

function offersOf(families: readonly SpeedFamily[]): Offer[] {
	const names = [...new Set(families.flatMap(({ speeds }) => Object.keys(speeds)))];
	const prices = hourlyPrices(names, args.price);
	const sizes = [...new Set(families.map(({ gpus }) => gpus))];
	return names.flatMap((accelerator) =>
		sizes.map((gpus): Offer => {
			const microUsdPerHour = BigInt(Math.round((prices.get(accelerator) ?? 0) * gpus * 1e6));
			const instanceType = `${accelerator}x${gpus}`;
			const money = { microUsdPerHour, onDemandMicroUsdPerHour: microUsdPerHour, egressMicroUsdPerGiB: 0n };
			const place = { siteId: "gcp", provider: "gcp" as const, region: "us-central1", zone: null };
			const seen = { priceObservedAtMs: START_MS, priceSource: "bench", backoffUntilMs: null, backoffReason: null };
			const machine = { instanceType, accelerator, gpus, vcpus: 8 * gpus, memoryGiB: 64 * gpus, capacityType: "on_demand" as const };
			return { id: `gcp:us-central1:*:${instanceType}:on_demand`, ...place, ...machine, ...money, ...seen, gridGramsPerKwh: 400, pue: 1.1 };
		}),
	);
}

/** Jobs of every family, spread over the same time, so that families of each size learn side by side. */
function jobsOf(families: readonly SpeedFamily[], perFamily: number, seed: string): TraceJob[] {
	const random = seededRandom(`${seed}/throughput`);
	const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
	const unset = { accelerators: [], deadlineMs: null, deadlineKind: null, status: null, limitMs: null };
	return families.flatMap((family, f) =>
		Array.from({ length: perFamily }, (_, i): TraceJob => {
			const durationMs = Math.max(10 * MINUTE_MS, Math.round(MEDIAN_MS * Math.exp(SPREAD * normal())));
			const submitMs = Math.round((i + random.next()) * 24 * HOUR_MS);
			return { id: `f${f}-${i}`, submitMs, durationMs, gpus: family.gpus, team: "research", user: family.user, ...unset };
		}),
	);
}

function scenarioOf(families: readonly SpeedFamily[], offers: Offer[], reference: string): ReplayScenario {
	const minutes = { bootMs: 4 * MINUTE_MS, refusalMs: MINUTE_MS, checkpointEveryMs: 15 * MINUTE_MS, restoreMs: 3 * MINUTE_MS };
	return {
		name: "throughput",
		seed: Number(args.seed),
		startMs: START_MS,
		pools: [],
		offers,
		availability: new Map(),
		prices: new Map(),
		...minutes,
		grid: new Map(),
		boardWatts: {},
		onDemandRefusalShare: 0,
		dataOutGiB: 0,
		throughput: {
			recordedOn: reference,
			families: families.map(({ user, speeds }) => ({ teams: ["*"], users: [user], speeds })),
			prior: args["no-prior"] ? NO_PRIOR : throughputPrior(),
		},
	};
}

/** Launches every job at the offer with the lowest figure. */
class LeastOf implements Strategy {
	readonly #world: World;
	readonly #figure: (job: SeenJob, offer: Offer) => number;
	readonly #waiting: SeenJob[] = [];

	constructor(world: World, figure: (job: SeenJob, offer: Offer) => number) {
		this.#world = world;
		this.#figure = figure;
	}

	arrived(job: SeenJob): void {
		this.#waiting.push(job);
	}

	ended(): void {}

	decide(): void {
		for (const job of this.#waiting.splice(0)) {
			const fitting = this.#world.scenario.offers.filter(
				({ gpus, accelerator }) => gpus === job.gpusPerNode && (job.accelerators.length === 0 || job.accelerators.includes(accelerator)),
			);
			const [best] = fitting.sort((a, b) => this.#figure(job, a) - this.#figure(job, b));
			if (best) this.#world.launch(job, best);
		}
	}
}

/** µ$ of each job, in submission order. */
function costsOf(jobs: readonly TraceJob[], scenario: ReplayScenario, make: (world: World) => Strategy): Map<string, number> {
	const costs = new Map<string, number>();
	const engine = new Engine(jobs, scenario, {
		onRun: ({ run, costMicroUsd }) => costs.set(run.job.id, (costs.get(run.job.id) ?? 0) + Number(costMicroUsd)),
	});
	engine.run(make(engine));
	const left = jobs.length - engine.report("throughput").jobsDone;
	if (left > 0) throw new Error(`${left} jobs did not finish`);
	return costs;
}

const families = readSpeedTable(parseCsv(readFileSync(args.table, "utf8"), { bom: true, skip_empty_lines: true, trim: true }));
const perFamily = Number(args.jobs);
const offers = offersOf(families);
const [reference = ""] = Object.keys(families[0]?.speeds ?? {}).slice(-1);
const jobs = jobsOf(families, perFamily, args.seed);
const scenario = scenarioOf(families, offers, reference);
const { policy } = parsePolicy(POLICY);
if (!policy) throw new Error("the policy cannot be read");
const { throughput } = scenario;
const price = (offer: Offer): number => Number(offer.microUsdPerHour ?? 0n);
const spillway = costsOf(jobs, scenario, (world) => new Spillway(world, policy));
const oracle = costsOf(
	jobs,
	scenario,
	(world) => new LeastOf(world, (job, o) => price(o) / (throughput ? trueSpeed(throughput, job, o.accelerator) : 1)),
);
const cheapestHour = costsOf(jobs, scenario, (world) => new LeastOf(world, (_, offer) => price(offer)));

const isScored = (id: string): boolean => Number(id.slice(id.indexOf("-") + 1)) >= LEARNING_RUNS;
const sum = (costs: ReadonlyMap<string, number>, counts: (id: string) => boolean): number =>
	[...costs].reduce((total, [id, cost]) => total + (counts(id) ? cost : 0), 0);
const all = (): boolean => true;
print(args.json, "Placement by the cost of work", {
	toOracle: round(sum(spillway, isScored) / sum(oracle, isScored), 4),
	toCheapestHour: round(sum(spillway, all) / sum(cheapestHour, all), 4),
	toOracleWithLearning: round(sum(spillway, all) / sum(oracle, all), 4),
	oracleToCheapestHour: round(sum(oracle, all) / sum(cheapestHour, all), 4),
	families: families.length,
	jobs: jobs.length,
});
