import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Offer } from "#server/domain/capacity.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { ShippedFacts } from "./context.ts";
import { parseScenario, type ScenarioReading } from "./read-scenario.ts";

const FILES: Record<string, string> = {
	"spot.csv": "trace_id,t_start_s,t_end_s,available_nodes\nup,0,100,1\nwave,0,10,4\nwave,10,20,2\nwave,30,40,0\n",
	"prices.csv": "ts,instance_type,zone,spot_usd_h\n2020-01-01T00:00:00Z,p4,us-east-1a,1.5\n2020-01-01T03:00:00Z,p4,us-east-1a,2.25\n",
	"grid.csv": "ts,g_per_kwh\n2023-01-01T00:00:00Z,100\n2023-01-01T01:00:00Z,200\n2023-01-01T02:00:00Z,300\n",
	"gap.csv": "ts,g_per_kwh\n2023-01-01T00:00:00Z,100\n2023-01-01T02:00:00Z,200\n",
};

function offer(region: string, capacityType: Offer["capacityType"]): Offer {
	return {
		...{ id: `aws:${region}:*:p4:${capacityType}`, siteId: "aws", provider: "aws" as const, region, zone: null, instanceType: "p4" },
		...{ accelerator: "A100-80GB", gpus: 8, vcpus: 96, memoryGiB: 1152, capacityType, microUsdPerHour: 10n, onDemandMicroUsdPerHour: 20n },
		...{ priceObservedAtMs: 0, priceSource: "test", backoffUntilMs: null, backoffReason: null, egressMicroUsdPerGiB: 0n },
		...{ gridGramsPerKwh: null, pue: null },
	};
}

const FACTS: ShippedFacts = {
	offers: () => [offer("us-east-1", "on_demand"), offer("us-east-1", "spot"), offer("eu-west-1", "spot")],
	ownedRate: (name) => (name === "A100-80GB" ? { microUsdPerGpuHour: 830_000n, wattsPerGpu: 640, pue: 1.58 } : null),
	onPremisesPue: 1.58,
	gridZone: (zone) => (zone === "DE" ? 371 : null),
	acceleratorsNamed: (name) => (name === "A100" ? ["A100-80GB", "A100-40GB"] : name === "A100-80GB" ? [name] : []),
	boardWatts: { "A100-80GB": 400 },
	throughputPrior: { accelerators: [], logMean: [], covariance: [] },
};

function read(spec: string, seed?: number): ScenarioReading {
	const source = `apiVersion: spillway/v1\nkind: Scenario\nmetadata: { name: t }\nspec:\n${spec}`;
	return parse(source, seed);
}

function parse(source: string, seed?: number): ScenarioReading {
	const open = (file: string): string => {
		const text = FILES[file];
		if (text === undefined) throw new SpillwayError("not_found", `The file ${file} cannot be read: there is no such file.`);
		return text;
	};
	return parseScenario(source, { facts: FACTS, name: "s.yaml", open, ...(seed === undefined ? {} : { seed }) });
}

function problem(spec: string): string {
	try {
		read(spec);
	} catch (error) {
		if (error instanceof SpillwayError) return `${error.message} ${error.fix}`;
		throw error;
	}
	throw new Error("the scenario was read");
}

const POOL = "  pools: [{ id: home, accelerator: A100-80GB, nodes: 2 }]\n";
const CATALOG = "  catalog: { accelerators: [A100-80GB] }\n";
const SETS =
	"  data: { sets: [{ uri: s3://a, sizeGiB: 5, copies: [gcp:europe-west4, home], residency: [eu] }] }\n  pools: [{ id: home, accelerator: A100-80GB, nodes: 1 }]\n";
const SPOT =
	"  offers:\n    - { provider: aws, region: us-east-1, zone: us-east-1a, instanceType: p4, accelerator: A100-80GB, gpus: 8, capacityType: spot, usdPerHour: 9.5 }\n";

describe("a scenario", () => {
	it("takes omitted pool fields from the shipped rate card, and uses the documented default times", () => {
		const { scenario } = read(POOL);
		expect(scenario.pools).toEqual([
			{
				...{ id: "home", siteId: "home", accelerator: "A100-80GB", nodes: 2, gpusPerNode: 8, microUsdPerGpuHour: 830_000n },
				...{ wattsPerGpu: 640, gridGramsPerKwh: null, pue: 1.58, speed: 1 },
			},
		]);
		expect([scenario.bootMs, scenario.checkpointEveryMs, scenario.restoreMs]).toEqual([240_000, 900_000, 180_000]);
	});
	it("supports jobs without checkpoints, more interruptions and an API that throttles", () => {
		const worse =
			'  checkpoint: { every: never }\n  capacityErrors: { requestsPerMinute: 5 }\n  spotAvailability: { file: spot.csv, traces: [wave], interruptions: 2, assign: [{ offers: "*:spot", trace: wave }] }\n';
		const { scenario } = read(`${SPOT}${worse}`);
		expect(scenario).toMatchObject({ checkpointEveryMs: Number.POSITIVE_INFINITY, requestsPerMinute: 5 });
		const [trace] = scenario.availability.values();
		const slower = read(`${SPOT}${worse.replace("interruptions: 2, ", "")}`)
			.scenario.availability.values()
			.next().value;
		expect(trace?.startsMs).toEqual(slower?.startsMs.map((ms) => ms / 2));
		expect(problem("  checkpoint: { every: 0s }\n")).toContain("at least 1s, or never");
	});
	it("uses the model's power and the average PUE of machine rooms without a rate card", () => {
		const spec = "  boardWatts: { P100: 250 }\n  pools: [{ id: home, accelerator: P100, nodes: 1, usdPerGpuHour: 1 }]\n";
		expect(read(spec).scenario.pools[0]).toMatchObject({ wattsPerGpu: 250, pue: 1.58 });
	});
	it("keeps money exact", () => {
		expect(read(SPOT.replace("9.5", "0.000001")).scenario.offers[0]?.microUsdPerHour).toBe(1n);
	});
	it("selects from the catalog by region and capacity type, and replaces an offer with its own", () => {
		const ids = (spec: string): string[] => read(spec).scenario.offers.map(({ id, microUsdPerHour }) => `${id} ${microUsdPerHour}`);
		expect(ids('  catalog: { accelerators: [A100], regions: ["aws:eu-*"] }\n')).toEqual(["aws:eu-west-1:*:p4:spot 10"]);
		const own = SPOT.replace("zone: us-east-1a, ", "");
		expect(ids(`  catalog: { accelerators: [A100-80GB], capacityTypes: [spot] }\n${own}`)).toEqual([
			"aws:eu-west-1:*:p4:spot 10",
			"aws:us-east-1:*:p4:spot 9500000",
		]);
	});
	it("assigns every spot offer a recorded trace: the named one, else one by the seed", () => {
		const spec = `${CATALOG}  spotAvailability: { file: spot.csv, assign: [{ offers: "aws:eu-*", trace: wave, offset: 1m }] }\n`;
		const { availability } = read(spec, 3).scenario;
		expect([...availability.keys()].sort()).toEqual(["aws:eu-west-1:*:p4:spot", "aws:us-east-1:*:p4:spot"]);
		// 60 s into a 40 s trace is second 20; between its runs nothing is available.
		expect(availability.get("aws:eu-west-1:*:p4:spot")).toEqual({
			...{ traceId: "wave", startsMs: [0, 20_000], available: [true, false], lengthMs: 40_000, offsetMs: 20_000 },
		});
		expect(read(spec, 3).scenario.availability).toEqual(availability);
	});
	it("shifts a price history to the replay's start, beginning with the price in effect", () => {
		const spec = `  start: 2026-06-01T00:00:00Z\n${SPOT}  priceHistory: [{ file: prices.csv, from: "2020-01-01T01:00:00Z" }]\n`;
		const { scenario } = read(spec);
		const startMs = Date.parse("2026-06-01T00:00:00Z");
		expect([...scenario.prices.values()]).toEqual([
			[
				{ atMs: startMs, microUsdPerHour: 1_500_000n },
				{ atMs: startMs + 2 * HOUR_MS, microUsdPerHour: 2_250_000n },
			],
		]);
	});
	it("rotates a grid's hours to the requested start", () => {
		const spec = `${POOL}  grid: { from: "2023-01-01T01:30:00Z", files: [{ file: grid.csv, places: [home] }] }\n`;
		expect(read(spec).scenario.grid.get("home")).toEqual([200, 300, 100]);
	});
	it("reports the contents of every file", () => {
		const { files } = read(`${POOL}  grid: { files: [{ file: grid.csv, places: [home] }] }\n`);
		expect(files.map((file) => [file.path, file.sha256.length])).toEqual([
			["s.yaml", 64],
			["grid.csv", 64],
		]);
	});
});

describe("an error in a scenario is reported with its position", () => {
	it.each([
		["  sed: 7\n", "s.yaml, line 5, column 3: spec.sed: is not a known field. Did you mean seed?"],
		[POOL.replace("2 }", "-2 }"), "line 5, column 54: spec.pools.0.nodes: must be"],
		["  seed: .nan\n", "line 5, column 9: spec.seed:"],
		["  boot: 4\n", "line 5, column 9: spec.boot: must be a length of time from 0s to 30d: 4 what?"],
		["  boot: -4m\n", "spec.boot: must be a length of time"],
		["  forecast: perfect\n", "spec.forecast: can only be none: the core sees what a live one would see"],
		["  seed: 7\n", "neither pools nor offers"],
		["  pools: [{ id: home, accelerator: P100, nodes: 1 }]\n", "usdPerGpuHour is required: the shipped rate card has nothing on P100."],
		["  pools: [{ id: home, accelerator: A100, nodes: 1 }]\n", "A100 may be any of A100-80GB, A100-40GB. Name the one that the pool has."],
		[POOL.replace("nodes: 2", "nodes: 2, gridZone: XX"), "no average is known of the grid zone XX."],
		[POOL.replace("}]", "}, { id: home, accelerator: A100-80GB, nodes: 1 }]"), "there is a pool home already."],
		["  catalog: { accelerators: [H100] }\n", "the catalog has no offer with H100."],
		['  catalog: { accelerators: [A100], regions: ["aws:ap-*"] }\n', "no region in the catalog matches aws:ap-*."],
		[SPOT.replace("9.5", "0"), "must be an amount of USD, above 0"],
		[SPOT.replace("9.5", "-1"), "must be an amount of USD"],
		[SPOT.replace("9.5", ".nan"), "must be an amount of USD"],
		[SPOT.replace(": spot", ": reserved"), "reserved capacity needs instances"],
		[SPOT.replace("9.5", "9.5, instances: 2"), "spec.offers.0.instances: instances is for reserved capacity; spot has none."],
		[`${SPOT}${SETS}`, "spec.data.links: no link says how fast data come to aws:us-east-1."],
		[`${SPOT}${SETS.replace("home", "hom")}`, "there is no pool and no region hom."],
		[`${SPOT}${SETS.replace("residency: [eu]", "residency: [Europe]")}`, "must be a country or an area in lower case"],
		[`${SPOT}  spotAvailability: { file: none.csv }\n`, "line 7, column 29: spec.spotAvailability.file: The file none.csv cannot be read"],
		[`${SPOT}  spotAvailability: { file: spot.csv, traces: [x] }\n`, "no trace of spot.csv fits x."],
		[
			`${SPOT}  spotAvailability: { file: spot.csv, assign: [{ offers: "*", trace: wav }] }\n`,
			"spot.csv has no trace wav. Did you mean wave?",
		],
		[
			`${POOL}  grid: { files: [{ file: gap.csv, places: [home] }] }\n`,
			"gap.csv, line 3: 2023-01-01T02:00:00Z is not the hour after the row above it.",
		],
		[
			`${POOL}  grid: { files: [{ file: grid.csv, places: [hom] }] }\n`,
			"there is no pool and no region of an offer hom. Did you mean home?",
		],
		[`${POOL}  priceHistory: [{ file: prices.csv, from: "2020-01-01T00:00:00Z" }]\n`, "prices.csv has no price of any offer here."],
		[
			`${POOL}  priceHistory: [{ file: grid.csv, from: "2020-01-01T00:00:00Z" }]\n`,
			"grid.csv, line 1: The header has no column instance_type.",
		],
	])("%s", (spec, message) => {
		expect(problem(spec)).toContain(message);
	});
	it.each([
		["", "the scenario is empty"],
		["a: [", "The YAML cannot be read"],
		["a: &x [*x]", "line 1, column 8: The YAML cannot be read: the alias x is inside the part that it repeats"],
		["apiVersion: spillway/v1\nkind: Policy", "metadata: is required (and 2 more)"],
	])("%j", (source, message) => {
		expect(() => parse(source)).toThrow(message);
	});
});

describe("any text at all", () => {
	const SOUND = `apiVersion: spillway/v1\nkind: Scenario\nmetadata: { name: t }\nspec:\n${POOL}${CATALOG}  spotAvailability: { file: spot.csv }\n`;
	const put = fc.oneof(
		fc.string({ maxLength: 8 }),
		fc.constantFrom("*", "&a ", "<<: *a", "{", "]", ": ", "\n  ", "-1", ".nan", ".inf", "1e99", "!!binary", "__proto__: 1\n"),
	);
	const mutated = fc
		.array(fc.record({ at: fc.nat(SOUND.length), cut: fc.nat(10), put }), { minLength: 1, maxLength: 6 })
		.map((edits) => edits.reduce((text, edit) => text.slice(0, edit.at) + edit.put + text.slice(edit.at + edit.cut), SOUND));
	it("yields a scenario or a SpillwayError", () => {
		fc.assert(
			fc.property(fc.oneof(mutated, fc.string()), (source) => {
				try {
					expect(parse(source).scenario.pools.length).toBeGreaterThanOrEqual(0);
				} catch (error) {
					if (!(error instanceof SpillwayError)) throw error;
				}
			}),
			{ numRuns: cases(100, 500) },
		);
	});
	it.each(["spot.csv", "prices.csv", "grid.csv"])("in %s yields a scenario or a SpillwayError", (name) => {
		const sound = FILES[name] ?? "";
		const spec = {
			"spot.csv": `${SPOT}  spotAvailability: { file: spot.csv }\n`,
			"prices.csv": `${SPOT}  priceHistory: [{ file: prices.csv, from: "2020-01-01T00:00:00Z" }]\n`,
			"grid.csv": `${POOL}  grid: { files: [{ file: grid.csv, places: [home] }] }\n`,
		}[name];
		const broken = fc
			.array(fc.record({ at: fc.nat(sound.length), cut: fc.nat(4), put }), { maxLength: 4 })
			.map((edits) => edits.reduce((text, edit) => text.slice(0, edit.at) + edit.put + text.slice(edit.at + edit.cut), sound));
		fc.assert(
			fc.property(broken, (text) => {
				const source = `apiVersion: spillway/v1\nkind: Scenario\nmetadata: { name: t }\nspec:\n${spec}`;
				try {
					const { scenario } = parseScenario(source, { facts: FACTS, name: "s.yaml", open: () => text });
					for (const trace of scenario.availability.values()) expect(trace.startsMs[0]).toBe(0);
					for (const changes of scenario.prices.values()) expect(changes.every((change) => change.microUsdPerHour > 0n)).toBe(true);
				} catch (error) {
					if (!(error instanceof SpillwayError)) throw error;
				}
			}),
			{ numRuns: cases(60, 300) },
		);
	});
});

describe("stores of regions", () => {
	const dataOf = (stores: string) => `${CATALOG}  data:
    sets: [{ uri: "s3://a", sizeGiB: 1, copies: ["aws:eu-west-1"] }]
    links: [{ to: "*", mibPerS: 100 }]
    stores: ${stores}
`;

	it("are where an offer fits, with the speed of the first match, else the link's", () => {
		expect(read(dataOf('[{ at: "aws:us-*", mibPerS: 900 }, { at: "aws:*" }]')).scenario.data?.stores).toEqual(
			new Map([
				["aws:eu-west-1", null],
				["aws:us-east-1", 900],
			]),
		);
		expect(read(dataOf("[]")).scenario.data?.stores).toBeUndefined();
	});

	it("are an error where nothing is offered", () => {
		expect(problem(dataOf('[{ at: "gcp:*" }]'))).toMatch(/stores.*there is no offer in gcp:\*/);
	});
});

describe("quotas", () => {
	it("apply to matching offers in each region, first match wins", () => {
		const spec = `${CATALOG}  quotas:
    - { provider: aws, regions: ["aws:eu-*"], gpus: 8 }
    - { provider: aws, capacityTypes: [spot], gpus: 16 }
`;
		expect(read(spec).scenario.offers.map(({ id, quota, quotaGpusFree }) => [id, quota?.name, quotaGpusFree])).toEqual([
			["aws:eu-west-1:*:p4:spot", "quotas[0]", 8],
			["aws:us-east-1:*:p4:on_demand", undefined, undefined],
			["aws:us-east-1:*:p4:spot", "quotas[1]", 16],
		]);
	});

	it("are an error when they limit nothing", () => {
		expect(problem(`${CATALOG}  quotas: [{ provider: gcp, gpus: 8 }]\n`)).toMatch(/quotas.*no offer in this scenario matches/);
		expect(problem(`${CATALOG}  quotas: [{ provider: aws, gpus: -1 }]\n`)).toMatch(/quotas/);
	});
});

describe("agreed discounts", () => {
	const DISCOUNTS = `  discounts:
    - { provider: aws, percent: 25 }
    - { provider: aws, percent: 10, regions: ["aws:us-*"] }
    - { provider: aws, capacityType: spot, percent: 50, regions: ["aws:eu-*"] }
    - { provider: gcp, capacityType: spot, percent: 90 }
`;

	it("reduce the prices of offers: the largest that applies, per capacity type, rounded up", () => {
		const prices = read(CATALOG + DISCOUNTS).scenario.offers.map((o) => [
			o.id,
			o.microUsdPerHour,
			o.onDemandMicroUsdPerHour,
			o.listMicroUsdPerHour,
		]);
		expect(prices).toEqual([
			["aws:eu-west-1:*:p4:spot", 5n, 15n, 20n],
			// The test prices are around $0.00001 per hour.
			["aws:us-east-1:*:p4:on_demand", 8n, 15n, 20n],
			["aws:us-east-1:*:p4:spot", 10n, 15n, 20n],
		]);
	});

	it("reduce the prices of a price history too, which has the provider's prices", () => {
		const history = `${CATALOG}  discounts: [{ provider: aws, capacityType: spot, percent: 50 }]
  offers: [{ provider: aws, region: us-east-1, zone: us-east-1a, instanceType: p4, capacityType: spot, accelerator: A100-80GB, gpus: 8, usdPerHour: 2 }]
  priceHistory: [{ file: prices.csv, from: 2020-01-01T00:00:00Z }]
`;
		const { prices } = read(history).scenario;
		expect(prices.get("aws:us-east-1:us-east-1a:p4:spot")?.map((c) => c.microUsdPerHour)).toEqual([750_000n, 1_125_000n]);
	});
});

it("accepts an offer of an accelerator that is no GPU, by its name", () => {
	const tpu = `  offers:
    - { provider: gcp, region: us-east5, instanceType: ct5lp-hightpu-8t, capacityType: on_demand, accelerator: TPU-v5e, gpus: 8, usdPerHour: 9.6 }
`;
	expect(read(tpu).scenario.offers).toMatchObject([{ accelerator: "TPU-v5e", gpus: 8, microUsdPerHour: 9_600_000n }]);
});
