/**
 * One cycle of the decision core on synthetic queues: `npm run bench:decide [-- --json] [--rounds N] [--pending N,N] [--offers N,N]
 * [--cycles N]`.
 * Prints ms per cycle (median and slowest of the rounds) for each size, and how the time grows; then µs per cycle when little changed since
 * the last one. The input follows from a seed, so that two runs decide the same; nothing is asserted.
 */
import { parseArgs } from "node:util";
import type { Offer } from "#server/domain/capacity.ts";
import type { Policy } from "#server/domain/policy.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { decide } from "#server/scheduling/decide.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, denyRule, NOON_MS } from "#server/scheduling/testing/builders.ts";
import type { PendingJob, Plan, RunningAttempt, Snapshot } from "#server/scheduling/types.ts";
import { measureStreams } from "./lib/decide-stream.ts";

const TEAMS = ["risk", "vision", "genomics", "forecasting", "search"];
const ACCELERATORS = ["A10G-24GB", "L4-24GB", "A100-80GB", "H100-80GB"];
/** People write round estimates. */
const ESTIMATE_MINUTES = [5, 10, 15, 30, 45, 60, 90, 120, 180, 240, 360, 480, 720, 1440];
const HOME = { nodes: 32, gpusPerNode: 8 };

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		rounds: { type: "string", default: "7" },
		pending: { type: "string", default: "1000,3000,10000" },
		offers: { type: "string", default: "500,2000" },
		cycles: { type: "string", default: "5000" },
	},
});
const PENDING = args.pending.split(",").map(Number);
const OFFERS = args.offers.split(",").map(Number);

/** A monthly budget for about a hundred instances: the first jobs launch, and most of the others are held, as in a real rush. */
function policyOf(): Policy {
	return aPolicy({
		rules: [
			["sensitive-stays-home", 'job.class == "sensitive"', denyRule({ sites: ["cloud"] })],
			["burst-on-wait", null, burstRule({ forecastWaitMs: 30 * MINUTE_MS })],
			["spot-for-experiments", 'job.class == "experimental"', { kind: "require", capacityType: "spot", approval: null }],
			["no-old-regions", 'job.team == "genomics"', denyRule({ regions: ["aws:region-1*"] })],
			["lifetime", null, { kind: "limit", instanceMs: 24 * HOUR_MS, idleMs: null, gpuUtilisationBelow: null }],
			["ask-first", "quote.costUsd > 2000.0", { kind: "require", capacityType: null, approval: "platform" }],
		],
		budgets: [{ id: "cloud-month", capMicroUsd: usdToMicro(50_000) }],
	});
}

function offersOf(count: number): Offer[] {
	const random = seededRandom(`offers ${count}`);
	return Array.from({ length: count }, (_, i) => {
		const gpus = random.pick([1, 1, 2, 4, 8]);
		const onDemand = (gpus * random.int(100, 900)) / 100;
		const capacityType = i % 2 === 0 ? ("on_demand" as const) : ("spot" as const);
		return anOffer({
			region: `region-${random.int(1, 40)}`,
			instanceType: `t${i}.x${gpus}`,
			accelerator: random.pick(ACCELERATORS),
			gpus,
			vcpus: gpus * 12,
			memoryGiB: gpus * 100,
			capacityType,
			usd: capacityType === "spot" ? (onDemand * 0.4).toFixed(4) : onDemand.toFixed(4),
			onDemandMicroUsdPerHour: usdToMicro(onDemand.toFixed(4)),
			gridGramsPerKwh: random.int(20, 700),
		});
	});
}

function pendingOf(count: number): PendingJob[] {
	const random = seededRandom(`pending ${count}`);
	return Array.from({ length: count }, (_, i) => {
		const job = aJob(`train-${String(i).padStart(6, "0")}`)
			.team(random.pick(TEAMS))
			.class(random.pick(WORKLOAD_CLASSES))
			.gpus(random.pick([1, 1, 1, 2, 4, 8]))
			.priority(random.int(0, 100))
			.estimate(random.pick(ESTIMATE_MINUTES) * MINUTE_MS)
			.waited(random.int(0, 86_400) * SECOND_MS);
		const wanted = random.int(0, 2) === 0 ? job.accelerators("A100-80GB", random.pick(["H100-80GB", "L4-24GB"])) : job;
		return (random.int(0, 4) === 0 ? wanted.deadline(NOON_MS + random.int(1, 72) * HOUR_MS) : wanted).build();
	});
}

function runningOf(): RunningAttempt[] {
	const random = seededRandom("running");
	return Array.from({ length: HOME.nodes * HOME.gpusPerNode - 6 }, (_, slot) =>
		aJob(`runs-${slot}`)
			.estimate(random.int(10, 600) * MINUTE_MS)
			.running("home-a", [slot], random.int(0, 300) * MINUTE_MS),
	);
}

function snapshotOf(pending: number, offers: number): Snapshot {
	const total = HOME.nodes * HOME.gpusPerNode;
	return aSnapshot({
		policy: policyOf(),
		pools: [aPool({ ...HOME, accelerator: "A100-80GB", freeSlots: Array.from({ length: 6 }, (_, i) => total - 6 + i) })],
		pending: pendingOf(pending),
		offers: offersOf(offers),
		running: runningOf(),
		budgets: [aBudget("cloud-month", { cap: 50_000 })],
		cloudStartMs: { p50Ms: 4 * MINUTE_MS, p90Ms: 8 * MINUTE_MS },
	});
}

interface Times {
	medianMs: number;
	cpuMs: number;
	slowestMs: number;
}

function time(snapshot: Snapshot, rounds: number): Times {
	const wall: number[] = [];
	const cpu: number[] = [];
	for (let i = 0; i < rounds; i++) {
		const cpuBegan = process.threadCpuUsage();
		const began = performance.now();
		decide(snapshot);
		wall.push(performance.now() - began);
		const used = process.threadCpuUsage(cpuBegan);
		cpu.push((used.user + used.system) / 1000);
	}
	wall.sort((a, b) => a - b);
	cpu.sort((a, b) => a - b);
	const middle = Math.floor(rounds / 2);
	return { medianMs: round(wall[middle] ?? 0), cpuMs: round(cpu[middle] ?? 0), slowestMs: round(wall.at(-1) ?? 0) };
}

interface Row {
	pending: number;
	offers: number;
	/** A rush: every job is new, and all that leave or are held do so in this one cycle. */
	medianMs: number;
	/** Median CPU time of the thread: medianMs without the effect of other work on the machine. */
	cpuMs: number;
	slowestMs: number;
	/** The cycle after it: all remaining jobs are waiting or already held. */
	steadyMs: number;
	steadyCpuMs: number;
	launches: number;
	holds: number;
	placedHome: number;
	waiting: number;
}

/** The snapshot after the plan was applied: launched jobs are removed, held jobs are held. */
function after(snapshot: Snapshot, plan: Plan): Snapshot {
	const kinds = new Map(plan.actions.map((a) => [a.jobId, a.kind]));
	const pending = snapshot.pending
		.filter((job) => plan.waiting.has(job.jobId))
		.map((job) => (kinds.get(job.jobId) === "hold" ? { ...job, state: "held" as const } : job));
	const held = plan.actions.reduce((sum, a) => sum + (a.kind === "launch" ? a.holdMicroUsd : 0n), 0n);
	const pools = snapshot.pools.map((pool) => ({ ...pool, freeSlots: [] }));
	return { ...snapshot, pending, pools, budgets: snapshot.budgets.map((b) => ({ ...b, heldMicroUsd: b.heldMicroUsd + held })) };
}

function measure(pending: number, offers: number, rounds: number): Row {
	const snapshot = snapshotOf(pending, offers);
	const plan = decide(snapshot);
	const rush = time(snapshot, rounds);
	const steady = time(after(snapshot, plan), rounds);
	const count = (kind: string): number => plan.actions.filter((a) => a.kind === kind).length;
	return {
		pending,
		offers,
		medianMs: rush.medianMs,
		cpuMs: rush.cpuMs,
		slowestMs: rush.slowestMs,
		steadyMs: steady.medianMs,
		steadyCpuMs: steady.cpuMs,
		launches: count("launch"),
		holds: count("hold"),
		placedHome: count("place_home"),
		waiting: plan.waiting.size,
	};
}

function round(value: number): number {
	return Math.round(value * 10) / 10;
}

const rows = OFFERS.flatMap((offers) => PENDING.map((pending) => measure(pending, offers, Math.max(1, Number(args.rounds)))));
const timeOf = (pending: number, offers: number): number => rows.find((r) => r.pending === pending && r.offers === offers)?.medianMs ?? 0;
const ratio = (a: number, b: number): number => round(b === 0 ? 0 : a / b);
const [fewest = 0, most = 0] = [PENDING[0], PENDING.at(-1)];
const [small = 0, large = 0] = [OFFERS[0], OFFERS.at(-1)];
const growth = {
	jobs: {
		from: fewest,
		to: most,
		times: Object.fromEntries(OFFERS.map((offers) => [offers, ratio(timeOf(most, offers), timeOf(fewest, offers))])),
	},
	offers: {
		from: small,
		to: large,
		times: Object.fromEntries(PENDING.map((pending) => [pending, ratio(timeOf(pending, large), timeOf(pending, small))])),
	},
};

const littleChanged = measureStreams(offersOf(500), Math.max(1, Number(args.cycles)));

if (args.json) console.log(JSON.stringify({ benchmark: "decide", node: process.version, rows, growth, littleChanged }));
else {
	console.table(rows);
	for (const [offers, times] of Object.entries(growth.jobs.times))
		console.log(`${fewest} to ${most} jobs at ${offers} offers: ${times} times the time`);
	for (const [jobs, times] of Object.entries(growth.offers.times))
		console.log(`${small} to ${large} offers at ${jobs} jobs: ${times} times the time`);
	console.log("little changed since the last cycle:");
	console.table(littleChanged);
}
