import type { Offer } from "#server/domain/capacity.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { fasterAvailability } from "#server/simulation/replay/availability.ts";
import { OWNED_POOL_IDS } from "#server/simulation/replay/default-scenario.ts";
import { placeOf } from "#server/simulation/replay/run.ts";
import type { ReplayScenario } from "#server/simulation/replay/types.ts";

type Change = (scenario: ReplayScenario) => ReplayScenario;

const withoutCheckpoints: Change = (scenario) => ({ ...scenario, checkpointEveryMs: Number.POSITIVE_INFINITY });

const interruptedMore =
	(times: number): Change =>
	(scenario) => ({
		...scenario,
		availability: new Map([...scenario.availability].map(([id, trace]) => [id, fasterAvailability(trace, times)])),
	});

/** A GPU quota for each region and capacity type. */
const withQuotas =
	(gpus: number): Change =>
	(scenario) => {
		const limited = (offer: Offer): Offer => ({
			...offer,
			quota: { name: `${offer.capacityType} GPUs`, unit: "gpus", limit: gpus, used: 0 },
			quotaGpusFree: gpus,
		});
		return { ...scenario, offers: scenario.offers.map(limited) };
	};

/** Every job reads one set that is stored at home, and sends results home. */
const withData =
	(inGiB: number, outGiB: number, mibPerS: number): Change =>
	(scenario) => ({
		...scenario,
		dataOutGiB: outGiB,
		data: {
			sets: [{ uri: "s3://benchmark/set", sizeGiB: inGiB, copies: OWNED_POOL_IDS, residency: [], teams: ["*"] }],
			inboundMiBPerS: new Map(scenario.offers.map((offer) => [placeOf(offer), mibPerS])),
		},
	});

/** Conditions worse than the benchmark's own, one change at a time, by name. */
export const HARD_CONDITIONS: ReadonlyMap<string, Change> = new Map<string, Change>([
	["base", (scenario) => scenario],
	["no_checkpoints", withoutCheckpoints],
	["boot_10m", (scenario) => ({ ...scenario, bootMs: 10 * MINUTE_MS })],
	["interruptions_3x", interruptedMore(3)],
	["quota_32_gpus", withQuotas(32)],
	["throttled_api", (scenario) => ({ ...scenario, requestsPerMinute: 2 })],
	["data_300_gib_in_50_out", withData(300, 50, 500)],
	["no_checkpoints_3x", (scenario) => withoutCheckpoints(interruptedMore(3)(scenario))],
]);
