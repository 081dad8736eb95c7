import type { Offer } from "#server/domain/capacity.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { Availability, ReplayPool, ReplayScenario } from "./types.ts";

const WHOLE_NODES = "owned";
const LAST_NODE = "owned-rest";
export const OWNED_POOL_IDS: readonly string[] = [WHOLE_NODES, LAST_NODE];

/** GPUs of one owned node: a DGX or HGX board of eight. */
const NODE_GPUS = 8;

/**
 * Mean hours for which spot was available, and unavailable, in SkyPilot's public probes ("Can't Be Late", NSDI '24,
 * github.com/skypilot-org/spot-traces: one node, AWS us-east-1c, 1f, us-east-2a, us-west-2a of February 2023, us-west-2a of
 * October 2022): share available × days ÷ drops. Used only without a recorded trace.
 */
const SPOT_HOURS: readonly { up: number; down: number }[] = [
	{ up: 1.48, down: 1.7 },
	{ up: 2.26, down: 1.57 },
	{ up: 5.72, down: 1.81 },
	{ up: 6.1, down: 0.81 },
	{ up: 1.57, down: 3.24 },
];
const DRAWN_TRACE_DAYS = 60;

export interface DefaultScenarioInput {
	ownedGpus: number;
	/** A pool without its name and size. */
	pool: Pick<ReplayPool, "accelerator" | "microUsdPerGpuHour" | "wattsPerGpu" | "gridGramsPerKwh" | "pue">;
	/** Every offer of the accelerator, on-demand and spot, at its listed price. */
	offers: readonly Offer[];
	boardWatts: Readonly<Record<string, number>>;
	/**
	 * Recorded intensity by hour for pools (OWNED_POOL_IDS) and `provider:region`, gCO2e/kWh from startMs on. A place without a series uses
	 * its average.
	 */
	grid: ReadonlyMap<string, readonly number[]>;
	/** Recorded spot availability; empty: drawn from SPOT_HOURS. */
	spotTraces: readonly Availability[];
	/** The moment of the trace's 0, UTC ms. */
	startMs: number;
	seed: number;
}

/**
 * The scenario that every policy of the benchmarks runs against:
 * - owned: nodes of 8 GPUs at the trace's recorded speed; the remainder of `ownedGpus` is one smaller node in its own pool;
 * - offers: those given, at fixed prices. The clouds start machines of one offer together (gangs) and bill by the second from
 *   launch to end, boot included, and at least their minimum;
 * - spot: one recorded availability trace for each zone (a region where prices are regional) at an offset, both drawn by seed.
 *   All machines of a zone come and go together. Without recordings, a renewal process with exponential times of SPOT_HOURS;
 * - 4 minutes from launch to a running command, 30 s until a refusal is known (an assumption: EC2 answers immediately, Azure and GCP
 *   within a minute), work saved every 15 minutes, 3 minutes to restore, 30 s to stop (Slurm's KillWait);
 * - the grid's recorded intensity by hour where available, else the average of each region; no data to copy; on-demand is never refused.
 */
export function defaultScenario(input: DefaultScenarioInput): ReplayScenario {
	return {
		name: "default",
		seed: input.seed,
		startMs: input.startMs,
		pools: poolsOf(input),
		offers: [...input.offers],
		availability: availabilityOf(input),
		prices: new Map(),
		bootMs: 4 * MINUTE_MS,
		refusalMs: 30 * SECOND_MS,
		checkpointEveryMs: 15 * MINUTE_MS,
		restoreMs: 3 * MINUTE_MS,
		stopMs: 30 * SECOND_MS,
		grid: input.grid,
		boardWatts: input.boardWatts,
		onDemandRefusalShare: 0,
		dataOutGiB: 0,
	};
}

function poolsOf({ ownedGpus, pool }: DefaultScenarioInput): ReplayPool[] {
	const nodes = Math.floor(ownedGpus / NODE_GPUS);
	const rest = ownedGpus - nodes * NODE_GPUS;
	const of = (id: string, size: { nodes: number; gpusPerNode: number }): ReplayPool => ({ ...pool, ...size, id, siteId: "home", speed: 1 });
	return [
		...(nodes > 0 ? [of(WHOLE_NODES, { nodes, gpusPerNode: NODE_GPUS })] : []),
		...(rest > 0 ? [of(LAST_NODE, { nodes: 1, gpusPerNode: rest })] : []),
	];
}

function availabilityOf({ offers, spotTraces, seed }: DefaultScenarioInput): Map<string, Availability> {
	const byZone = new Map<string, Availability>();
	const byOffer = new Map<string, Availability>();
	for (const { id, provider, region, zone, capacityType } of offers) {
		if (capacityType !== "spot") continue;
		const place = `${provider}:${region}:${zone ?? "*"}`;
		const known = byZone.get(place) ?? traceFor(place, spotTraces, seed);
		byZone.set(place, known);
		byOffer.set(id, known);
	}
	return byOffer;
}

function traceFor(place: string, traces: readonly Availability[], seed: number): Availability {
	const random = seededRandom(`${seed}/availability/${place}`);
	const trace = traces.length > 0 ? random.pick(traces) : drawSpotTrace(place, seed);
	return { ...trace, offsetMs: random.int(0, trace.lengthMs - 1) };
}

/** Spot availability with exponential times of SPOT_HOURS, drawn by place and seed. */
export function drawSpotTrace(place: string, seed: number): Availability {
	const random = seededRandom(`${seed}/spot-hours/${place}`);
	const mean = random.pick(SPOT_HOURS);
	const startsMs: number[] = [];
	const available: boolean[] = [];
	const lengthMs = DRAWN_TRACE_DAYS * DAY_MS;
	let isUp = random.next() < mean.up / (mean.up + mean.down);
	for (let atMs = 0; atMs < lengthMs; isUp = !isUp) {
		startsMs.push(atMs);
		available.push(isUp);
		atMs += Math.max(SECOND_MS, Math.round(-Math.log(1 - random.next()) * (isUp ? mean.up : mean.down) * HOUR_MS));
	}
	return { traceId: `drawn/${place}`, startsMs, available, lengthMs, offsetMs: 0 };
}
