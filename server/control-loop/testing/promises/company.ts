import { type Random, seededRandom } from "#server/kernel/random.ts";
import { MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { OfferObservation } from "#server/providers/driver.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import type { LaunchFault } from "#server/providers/fake/launch-faults.ts";
import type { JobChanges, WorldOptions } from "../world.ts";

/** 20 minutes before the end of a month, so that budgets cross it. */
const START_MS = Date.UTC(2026, 9, 31, 23, 40);
const REGIONS = ["us-east-1", "eu-west-1"];

export interface DrawnJob {
	/** Submitted at this tick. */
	tick: number;
	changes: JobChanges;
	work: { runMs: number; exitCode: number };
	/** A person cancels it at this tick. */
	cancelTick: number | null;
}

/** How often each fault happens, as a share of ticks; 0 for never in this run. */
export interface FaultRates {
	launch: number;
	call: number;
	vanish: number;
	interrupt: number;
	silence: number;
	kill: number;
	stalePlan: number;
	price: number;
	jump: number;
}

/** A company, its cloud, its work and its faults, all from one seed. Prices are invented: only their arithmetic is tested. */
export interface Company {
	seed: number;
	world: Pick<WorldOptions, "slots" | "startMs" | "capUsd" | "rules" | "caps" | "tickMs"> & {
		cloud: { regions: string[]; offers: OfferObservation[] };
	};
	jobs: DrawnJob[];
	faults: FaultRates;
	/** Faults end after this many ticks: from then on everything must settle. */
	faultyTicks: number;
}

const WORST: FaultRates = {
	launch: 0.6,
	call: 0.4,
	vanish: 0.06,
	interrupt: 0.08,
	silence: 0.05,
	kill: 0.25,
	stalePlan: 0.2,
	price: 0.2,
	jump: 0.04,
};

export function drawCompany(seed: number, { crowded = false } = {}): Company {
	const random = seededRandom(`company/${seed}`);
	const faultyTicks = random.int(25, 40);
	const world = random.fork("world");
	return {
		seed,
		world: {
			slots: crowded ? 2 : world.int(0, 1),
			startMs: START_MS,
			capUsd: world.pick([2, 10, 100]),
			tickMs: world.pick([10, 15]) * SECOND_MS,
			rules: crowded
				? ["{ id: room, when: job.hasDeadline, preempt: { classes: [batch_inference] } }"]
				: [...drawRules(random.fork("rules")), ...drawPrewarm(random.fork("prewarm"))],
			caps: crowded ? [] : drawCaps(random.fork("caps")),
			cloud: { regions: REGIONS, offers: crowded ? [] : drawOffers(random.fork("offers")) },
		},
		jobs: drawJobs(random.fork("jobs"), faultyTicks, crowded),
		faults: drawFaults(random.fork("faults")),
		faultyTicks,
	};
}

/** The faults and their frequency are random too, so that a fault that is rare in one run is common in another. */
function drawFaults(random: Random): FaultRates {
	const draw = (worst: number): number => (random.next() < 0.65 ? worst * random.next() : 0);
	return Object.fromEntries(Object.entries(WORST).map(([name, worst]) => [name, draw(worst)])) as unknown as FaultRates;
}

function drawRules(random: Random): string[] {
	const rules = [
		"{ id: sensitive-stays-home, when: 'job.class == \"sensitive\"', deny: { sites: [cloud] } }",
		"{ id: spot-for-experiments, when: 'job.class == \"experimental\"', require: { capacityType: spot } }",
	];
	if (random.next() < 0.5)
		rules.push(`{ id: go-elsewhere, move: { to: [${random.pick(["home", "cheaper", "home, cheaper"])}], savingUsd: 0.01 } }`);
	if (random.next() < 0.5)
		rules.push("{ id: deadlines-first, when: job.hasDeadline, preempt: { classes: [baseline, experimental, batch_inference] } }");
	if (random.next() < 0.4) rules.push(`{ id: short-life, limit: { instanceHours: ${random.pick([0.1, 0.25])} } }`);
	return rules;
}

/** At all hours, so that the rule's own limits decide. */
function drawPrewarm(random: Random): string[] {
	if (random.next() < 0.4) return [];
	const limits = `machines: ${random.int(1, 3)}, monthlyUsd: ${random.pick([1, 3, 20])}, idleMinutes: ${random.pick([3, 10])}`;
	const days = "[mon, tue, wed, thu, fri, sat, sun]";
	return [
		`{ id: ready, prewarm: { accelerator: A10G-24GB, gpus: ${random.pick([1, 1, 2])}, state: running, ${limits}, hours: { days: ${days}, from: "00:00", to: "24:00" } } }`,
	];
}

function drawCaps(random: Random): string[] {
	const caps: string[] = [];
	const atCap = random.pick(["hold", "checkpoint-and-return", "terminate"]);
	if (random.next() < 0.5)
		caps.push(`{ id: bursts, scope: 'job.class == "burst"', period: month, capUsd: ${random.pick([0.5, 2, 5])}, atCap: ${atCap} }`);
	if (random.next() < 0.4) caps.push(`{ id: machines, instances: ${random.int(1, 3)} }`);
	if (random.next() < 0.4) caps.push(`{ id: rate, scope: 'job.class != "baseline"', burnRateUsdPerHour: ${random.int(1, 5)} }`);
	return caps;
}

function drawOffers(random: Random): OfferObservation[] {
	const offers = Array.from({ length: random.int(1, 5) }, () => {
		const onDemand = BigInt(random.int(400_000, 3_000_000));
		const isSpot = random.next() < 0.6;
		const gpus = random.pick([1, 1, 2, 4]);
		return fakeOffer({
			region: random.pick(REGIONS),
			instanceType: `g${gpus}.${random.int(1, 2)}xlarge`,
			gpus,
			vcpus: 8 * gpus,
			memoryGiB: 32 * gpus,
			capacityType: isSpot ? "spot" : "on_demand",
			microUsdPerHour: isSpot ? (onDemand * BigInt(random.int(20, 95))) / 100n : onDemand,
			onDemandMicroUsdPerHour: onDemand,
			priceObservedAtMs: START_MS,
		});
	});
	return [...new Map(offers.map((offer) => [offer.id, offer])).values()];
}

function drawJobs(random: Random, ticks: number, crowded: boolean): DrawnJob[] {
	return Array.from({ length: random.int(5, 8) }, (_, i) => drawJob(random, { ticks, i, crowded }));
}

function drawJob(random: Random, { ticks, i, crowded }: { ticks: number; i: number; crowded: boolean }): DrawnJob {
	const chance = (share: number): boolean => random.next() < share;
	const tick = crowded ? Math.floor(i * 1.5) : random.int(0, Math.floor(ticks / 2));
	const runMs = random.int(20, crowded ? 120 : 300) * SECOND_MS;
	const estimateS = Math.max(10, Math.round((runMs / SECOND_MS) * (crowded ? 1 : 0.5 + random.next())));
	const deadlineMs = START_MS + tick * 15 * SECOND_MS + runMs + random.int(1, crowded ? 2 : 20) * MINUTE_MS;
	const hasDeadline = crowded ? i % 2 === 1 : chance(0.3);
	return {
		tick,
		changes: {
			name: `job-${i}`,
			class: crowded
				? "batch_inference"
				: random.pick(["baseline", "burst", "burst", "burst", "experimental", "batch_inference", "sensitive"]),
			gpus: crowded ? 1 : random.pick([1, 1, 1, 1, 2]),
			estimate: `${estimateS}s`,
			max: chance(0.2) ? `${estimateS + 1}s` : "2h",
			priority: random.pick([50, 50, 0, 80]),
			...(chance(0.5) ? { checkpointEvery: `${random.int(1, 3)}m` } : {}),
			...(hasDeadline ? { deadline: new Date(deadlineMs).toISOString() } : {}),
		},
		work: { runMs, exitCode: chance(0.1) ? 1 : 0 },
		cancelTick: chance(0.12) ? tick + random.int(0, 15) : null,
	};
}

/** Machines are missing from listings for less time than the loop waits before it counts a machine as terminated. */
const LAG_MS_MAX = 8 * SECOND_MS;

export function drawLaunchFault(random: Random): LaunchFault {
	const durationMs = random.int(1, LAG_MS_MAX);
	return random.pick<() => LaunchFault>([
		() => ({ kind: "error", error: random.pick(["insufficient_capacity", "insufficient_capacity", "quota_exceeded", "throttled"]) }),
		() => ({ kind: "lose_answer" }),
		() => ({ kind: "delayed_create", durationMs }),
		() => ({ kind: "invisible", durationMs }),
		() => ({ kind: "slow_boot", durationMs: random.int(1, 150) * SECOND_MS }),
		() => ({ kind: "slow_terminate", durationMs: random.int(1, 120) * SECOND_MS }),
		() => ({ kind: "vanish", afterMs: random.int(0, 60) * SECOND_MS }),
		() => ({ kind: "interrupt", afterMs: random.int(0, 60) * SECOND_MS, noticeMs: random.pick([0, 30, 120]) * SECOND_MS }),
	])();
}

export const FAILING_CALLS = ["describe", "findByToken", "list", "terminate", "observe", "start", "stop", "offers"] as const;
