import { type Offer, offerId } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy, RuleEffect } from "#server/domain/policy.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { drawFaults } from "./faults.ts";
import type { Arrival, Scenario, SimPool } from "./scenario.ts";
import { SIM_TIMING } from "./scenario.ts";

const START_MS = Date.UTC(2026, 9, 28);
const ACCELERATORS = ["L40S-48GB", "A10G-24GB", "T4-16GB"] as const;
const BURST: Extract<RuleEffect, { kind: "burst" }> = {
	kind: "burst",
	forecastWaitMs: null,
	waitedMs: null,
	deadlineSlackMs: null,
	queueLength: null,
	always: false,
	costAtMostMicroUsd: null,
	dataAtMostGiB: null,
};

/** Workload, sites, policy and the faults themselves, all from one seed. Prices are invented: only their arithmetic is tested. */
export function drawScenario(seed: number): Scenario {
	const random = seededRandom(seed);
	const pools = drawPools(random.fork("pools"));
	const spanMs = random.int(6, 36) * HOUR_MS;
	return {
		seed,
		startMs: START_MS,
		policy: withMoves(drawPolicy(random.fork("policy")), random.fork("moves")),
		policyVersion: 1,
		pools,
		offers: drawOffers(random.fork("offers")),
		arrivals: drawArrivals(random.fork("jobs"), spanMs),
		faults: drawFaults(random.fork("faults")),
		healAtMs: START_MS + spanMs + random.int(0, 12) * HOUR_MS,
		// Around the turn of a month, so that budgets cross it in some runs.
		timing: { ...SIM_TIMING, tickMs: 2 * MINUTE_MS, offersEveryMs: 20 * MINUTE_MS, sweepMs: 2 * MINUTE_MS },
		boardWatts: { "L40S-48GB": 350, "A10G-24GB": 150 },
		meterEveryMs: random.next() < 0.5 ? random.int(5, 90) * MINUTE_MS : null,
	};
}

function drawPools(random: Random): SimPool[] {
	return Array.from({ length: random.int(1, 2) }, (_, i) => ({
		id: `pool-${i}`,
		siteId: "local",
		accelerator: ACCELERATORS[i] ?? "T4-16GB",
		nodes: random.int(1, 2),
		gpusPerNode: random.int(1, 4),
		microUsdPerGpuHour: BigInt(random.int(100_001, 900_000)),
		wattsPerGpu: 300,
		gridGramsPerKwh: 350,
		pue: 1.58,
		provider: "local",
		multiNode: random.next() < 0.3,
		ownedSinceMs: START_MS - random.int(0, 100_000_000),
	}));
}

function drawOffers(random: Random): Offer[] {
	const offers = new Map<string, Offer>();
	for (let i = random.int(0, 12); i > 0; i--) {
		const capacityType = random.next() < 0.6 ? ("spot" as const) : ("on_demand" as const);
		const onDemand = BigInt(random.int(400_000, 6_000_000));
		const gpus = random.pick([1, 1, 1, 4, 8]);
		const at = {
			region: random.pick(["us-east-1", "eu-west-1"]),
			zone: random.pick([null, "a", "b"]),
			instanceType: `g${gpus}.${random.int(1, 3)}xlarge`,
		};
		const id = offerId({ provider: "aws", ...at, capacityType });
		offers.set(id, {
			id,
			siteId: "aws",
			provider: "aws",
			...at,
			accelerator: random.pick(ACCELERATORS),
			gpus,
			vcpus: 8 * gpus,
			memoryGiB: 32 * gpus,
			capacityType,
			microUsdPerHour: capacityType === "spot" ? (onDemand * BigInt(random.int(20, 95))) / 100n : onDemand,
			onDemandMicroUsdPerHour: onDemand,
			priceObservedAtMs: START_MS,
			priceSource: "drawn",
			backoffUntilMs: null,
			backoffReason: null,
			egressMicroUsdPerGiB: 90_000n,
			gridGramsPerKwh: random.pick([null, 120, 380]),
			pue: 1.15,
		});
	}
	return [...offers.values()];
}

function drawPolicy(random: Random): Policy {
	const effects: [string, string | null, RuleEffect][] = [
		[
			"sensitive-stays-home",
			'job.class == "sensitive"',
			{ kind: "deny", sites: ["cloud"], regions: [], instanceFamilies: [], capacityTypes: [] },
		],
		[
			"burst",
			null,
			{
				...BURST,
				forecastWaitMs: random.pick([10 * SECOND_MS, 10 * MINUTE_MS, HOUR_MS]),
				deadlineSlackMs: random.pick([null, 30 * MINUTE_MS]),
			},
		],
		["spot-for-experiments", 'job.class == "experimental"', { kind: "require", capacityType: "spot", approval: null }],
		["life", null, { kind: "limit", instanceMs: random.int(1, 8) * HOUR_MS, idleMs: null, gpuUtilisationBelow: null }],
	];
	if (random.next() < 0.3) effects.push(["patience", 'job.class == "baseline"', { ...BURST, waitedMs: 2 * HOUR_MS }]);
	return {
		name: "drawn",
		rules: effects.map(([id, when, effect], i) => ({ id, when, line: i + 1, effect })),
		budgets: [
			{ id: "all", scope: "true", period: "month", capMicroUsd: BigInt(random.int(2, 120)) * 1_000_000n, atCap: "hold", line: 9 },
			...(random.next() < 0.5
				? [
						{
							id: "risk",
							scope: 'job.team == "risk"',
							period: "month" as const,
							capMicroUsd: BigInt(random.int(1, 30)) * 1_000_000n,
							atCap: "hold" as const,
							line: 10,
						},
					]
				: []),
		],
		caps: [],
		shares: [],
		weights: { delayMicroUsdPerHour: 5_000_000n, carbonMicroUsdPerTonne: 80_000_000n },
	};
}

/** In part of the runs: moves, evictions, caps, and budgets that do more at their cap than hold. */
function withMoves(policy: Policy, random: Random): Policy {
	const rules = [...policy.rules];
	const add = (id: string, when: string | null, effect: RuleEffect): void => void rules.push({ id, when, line: rules.length + 1, effect });
	if (random.next() < 0.6) {
		const to = random.pick([["home"], ["cheaper"], ["home", "cheaper"]] as const);
		add("go-elsewhere", null, { kind: "move", to: [...to], savingMicroUsd: BigInt(random.int(0, 1_000_000)) });
	}
	if (random.next() < 0.5)
		add("deadlines-first", "job.hasDeadline", {
			kind: "preempt",
			classes: ["baseline", "experimental", "batch_inference"],
			longerBy: null,
		});
	return {
		...policy,
		rules,
		budgets: policy.budgets.map((b) => ({ ...b, atCap: random.pick(["hold", "checkpoint-and-return", "terminate"] as const) })),
		caps: [
			...(random.next() < 0.3 ? [{ id: "machines", scope: "true", line: 20, kind: "instances" as const, count: random.int(1, 6) }] : []),
			...(random.next() < 0.3
				? [
						{
							id: "rate",
							scope: 'job.team == "risk"',
							line: 21,
							kind: "burn_rate" as const,
							microUsdPerHour: BigInt(random.int(1, 12)) * 1_000_000n,
						},
					]
				: []),
		],
	};
}

function drawArrivals(random: Random, spanMs: number): Arrival[] {
	const times = Array.from({ length: random.int(5, 70) }, () => START_MS + Math.floor(random.next() * spanMs)).sort((a, b) => a - b);
	return times.map((submittedAtMs, i) => drawArrival(random, submittedAtMs, i));
}

/** Half of them tight: little more than the run itself. */
function drawDeadline(random: Random, totalMs: number): number {
	const at = random.next();
	return Math.floor(at < 0.5 ? totalMs * (1.2 + 2 * at) + 5 * MINUTE_MS : at * DAY_MS);
}

function drawArrival(random: Random, submittedAtMs: number, i: number): Arrival {
	const chance = (share: number): boolean => random.next() < share;
	const totalMs = Math.floor(MINUTE_MS * 2 ** (random.next() * 8)) + random.int(1, 999);
	const estimateMs = chance(0.6) ? Math.max(1, Math.floor(totalMs * (0.5 + random.next()))) : null;
	const spec: JobSpec = {
		name: `${random.pick(["fraud-v", "clip-", "demand-"])}${i}`,
		team: random.pick(["risk", "vision", "forecasting"]),
		project: chance(0.5) ? "main" : null,
		labels: {},
		class: random.pick(["baseline", "burst", "burst", "experimental", "sensitive", "batch_inference"]),
		image: null,
		command: ["true"],
		env: {},
		nodes: chance(0.05) ? 2 : 1,
		resources: {
			gpus: random.pick([1, 1, 1, 2, 4, 8]),
			accelerators: chance(0.2) ? [random.pick(ACCELERATORS)] : [],
			cpus: null,
			memoryGiB: null,
		},
		duration: { estimateMs, maxMs: chance(0.4) ? Math.max(estimateMs ?? 0, Math.floor(totalMs * (0.7 + random.next()))) + 1 : null },
		deadlineMs: chance(0.3) ? submittedAtMs + drawDeadline(random, totalMs) : null,
		priority: random.pick([50, 50, 50, 0, 80, 100]),
		critical: false,
		checkpoint: chance(0.6) ? { path: "/checkpoints", intervalMs: random.int(1, 20) * MINUTE_MS } : null,
		data: [],
	};
	return {
		submittedAtMs,
		spec,
		work: {
			totalMs,
			stagingMs: chance(0.3) ? random.int(1, 300) * SECOND_MS : 0,
			fails: chance(0.1)
				? { afterMs: Math.floor(random.next() * totalMs), exitCode: chance(0.5) ? 1 : null, signal: chance(0.5) ? "SIGSEGV" : null }
				: null,
			cancelAfterMs: chance(0.1) ? Math.floor(random.next() * random.pick([MINUTE_MS, 10 * MINUTE_MS, 3 * HOUR_MS])) : null,
			submittedBy: "account:drawn",
		},
	};
}
