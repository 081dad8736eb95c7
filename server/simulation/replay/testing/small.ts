import type { Offer } from "#server/domain/capacity.ts";
import type { Policy } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import type { Availability, ReplayPool, ReplayScenario, TraceJob } from "../types.ts";

/** Monday 2026-01-05, 00:00 UTC. */
export const START_MS = Date.UTC(2026, 0, 5);

export function aTraceJob(id: string, given: Partial<TraceJob> = {}): TraceJob {
	return {
		id,
		submitMs: 0,
		durationMs: HOUR_MS,
		gpus: 1,
		team: "vision",
		user: null,
		accelerators: [],
		deadlineMs: null,
		deadlineKind: null,
		status: null,
		limitMs: null,
		...given,
	};
}

export function aReplayPool(given: Partial<ReplayPool> = {}): ReplayPool {
	return {
		id: "owned",
		siteId: "home",
		accelerator: "A100-80GB",
		nodes: 1,
		gpusPerNode: 8,
		microUsdPerGpuHour: usdToMicro("1"),
		wattsPerGpu: 500,
		gridGramsPerKwh: 400,
		pue: 1.5,
		speed: 1,
		...given,
	};
}

export function aReplayOffer(id: string, given: { usd: string; gpus?: number; type?: Offer["capacityType"]; region?: string }): Offer {
	const { usd, gpus = 8, type = "on_demand", region = id } = given;
	return {
		id,
		siteId: "aws",
		provider: "aws",
		region,
		zone: null,
		instanceType: `x${gpus}`,
		accelerator: "A100-80GB",
		gpus,
		vcpus: 96,
		memoryGiB: 1000,
		capacityType: type,
		microUsdPerHour: usdToMicro(usd),
		onDemandMicroUsdPerHour: usdToMicro("40"),
		priceObservedAtMs: START_MS,
		priceSource: "test",
		backoffUntilMs: null,
		backoffReason: null,
		egressMicroUsdPerGiB: usdToMicro("0.09"),
		gridGramsPerKwh: 300,
		pue: 1.2,
		gangs: true,
	};
}

/** Alternates between available and unavailable, starting with available. */
export function anAvailability(...hours: number[]): Availability {
	const startsMs: number[] = [];
	let atMs = 0;
	for (const length of hours) {
		startsMs.push(atMs);
		atMs += length * HOUR_MS;
	}
	return { traceId: "test", startsMs, available: hours.map((_, i) => i % 2 === 0), lengthMs: atMs, offsetMs: 0 };
}

export function aScenario(given: Partial<ReplayScenario> = {}): ReplayScenario {
	return {
		name: "test",
		seed: 7,
		startMs: START_MS,
		pools: [aReplayPool()],
		offers: [],
		availability: new Map(),
		prices: new Map(),
		bootMs: 4 * MINUTE_MS,
		refusalMs: 30 * SECOND_MS,
		checkpointEveryMs: 15 * MINUTE_MS,
		restoreMs: 3 * MINUTE_MS,
		grid: new Map(),
		boardWatts: { "A100-80GB": 400 },
		onDemandRefusalShare: 0,
		dataOutGiB: 0,
		...given,
	};
}

/** Two days of jobs of many sizes on two nodes, intermittent spot in two regions, and on-demand as a fallback. */
export function aBusyScenario(seed: number): { jobs: TraceJob[]; scenario: ReplayScenario } {
	const random = seededRandom(`busy ${seed}`);
	let submitMs = 0;
	const jobs = Array.from({ length: 120 }, (_, i) => {
		submitMs += random.int(0, 40 * 60) * SECOND_MS;
		const durationMs = Math.round(60 * SECOND_MS * 2 ** (random.next() * 9));
		return aTraceJob(`j${i}`, { submitMs, durationMs, gpus: random.pick([1, 1, 1, 2, 4, 8, 16]), team: random.pick(["vision", "risk"]) });
	});
	const offers = [
		aReplayOffer("spot-a", { usd: "3.6", type: "spot" }),
		aReplayOffer("spot-b", { usd: "4.1", type: "spot" }),
		aReplayOffer("od", { usd: "29.3" }),
	];
	const availability = new Map([
		["spot-a", anAvailability(3, 2, 5, 1)],
		["spot-b", { ...anAvailability(6, 1.5, 2, 4), offsetMs: random.int(0, 10) * HOUR_MS }],
	]);
	return { jobs, scenario: aScenario({ seed, pools: [aReplayPool({ nodes: 2 })], offers, availability }) };
}

export function aReplayPolicy(rules: string): Policy {
	const { policy, problems } = parsePolicy(`apiVersion: spillway/v1
kind: Policy
metadata: { name: test }
spec:
  rules:
${rules}
  budgets:
    - { id: cloud, scope: "true", period: month, capUsd: 1000000, atCap: hold }
  weights: { delayUsdPerHour: 10, carbonUsdPerTonne: 0 }
`);
	if (!policy) throw new Error(JSON.stringify(problems));
	return policy;
}
