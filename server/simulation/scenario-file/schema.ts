import { z } from "zod";
import { isZone } from "#server/accounting/zone.ts";
import { fieldNamesAt } from "#server/domain/schema/list-fields.ts";
import { CLOUD_PROVIDERS } from "#server/domain/vocabulary.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, formatDuration, MINUTE_MS, parseDurationMs, SECOND_MS } from "#server/kernel/units.ts";
import { GRID_FORECASTS } from "#server/simulation/replay/grid-ahead.ts";

/** Everything that comes from outside is bounded. */
export const SCENARIO_LIMITS = {
	documentCharacters: 1024 * 1024,
	pools: 1_000,
	offers: 10_000,
	files: 1_000,
	nodes: 100_000,
	gpusPerNode: 64,
	usdPerHour: 1_000_000,
	durationMs: 30 * DAY_MS,
	priceChanges: 1_000_000,
	pipelineRuns: 1_000_000,
} as const;

const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const name = z.string().regex(NAME, 'must be 1 to 63 letters, digits, ".", "_" or "-", beginning and ending with a letter or digit');
const text = z.string().min(1).max(200);
const file = z.string().min(1).max(4096);
const moment = z.iso.datetime({ offset: true, error: "must be a time such as 2026-06-01T00:00:00Z" }).transform((iso) => Date.parse(iso));
const count = (most: number) => z.number().int().min(1).max(most);
/** Below 1: if every launch is refused, nothing ever runs there, so the offers should be omitted instead. */
const refusals = z.number().min(0).max(0.95);
const grams = z.number().min(0).max(5_000);
const pue = z.number().min(1).max(5);
const gib = z.number().min(0).max(1_000_000);

/** A duration, at most 30 days; 0s is allowed. */
const duration = z.unknown().transform((given, ctx) => {
	const ms = typeof given === "string" ? parseDurationMs(given) : null;
	if (ms !== null && ms <= SCENARIO_LIMITS.durationMs) return ms;
	const most = formatDuration(SCENARIO_LIMITS.durationMs);
	const fix = typeof given === "number" ? `${given} what? Write ${given}s, ${given}m or ${given}h` : "write for example 30s, 4m or 1h30m";
	ctx.addIssue({ code: "custom", message: `must be a length of time from 0s to ${most}: ${fix}` });
	return z.NEVER;
});

/** Exact micro-dollars from a number or text with at most six decimals. A price of 0 is not allowed. */
const usd = (least: "above 0" | "0 or more") =>
	z.unknown().transform((given, ctx) => {
		const digits = typeof given === "number" || typeof given === "string" ? String(given).trim() : "";
		const micro = /^\d{1,9}(\.\d{1,6})?$/.test(digits) ? usdToMicro(digits) : null;
		const fits = micro !== null && (micro > 0n || least === "0 or more") && Number(digits) <= SCENARIO_LIMITS.usdPerHour;
		if (fits) return micro;
		ctx.addIssue({ code: "custom", message: `must be an amount of USD, ${least}, with at most six decimals, got ${shown(given)}` });
		return z.NEVER;
	});

function shown(given: unknown): string {
	return typeof given === "string" || typeof given === "number" ? `${given}`.slice(0, 40) : typeof given;
}

const pool = z.strictObject({
	id: name,
	/** The site name used in policies. */
	site: name.default("home"),
	accelerator: text,
	nodes: count(SCENARIO_LIMITS.nodes),
	gpusPerNode: count(SCENARIO_LIMITS.gpusPerNode).default(8),
	/** Omitted: from the shipped rate card. */
	usdPerGpuHour: usd("above 0").optional(),
	wattsPerGpu: z.number().positive().max(10_000).optional(),
	gridGramsPerKwh: grams.optional(),
	/** Grid zone for the yearly average, such as `DE`. */
	gridZone: text.optional(),
	pue: pue.optional(),
	speed: z.number().min(0.01).max(100).default(1),
});

const catalog = z.strictObject({
	accelerators: z.array(text).min(1).max(100),
	providers: z
		.array(z.enum(CLOUD_PROVIDERS))
		.min(1)
		.default([...CLOUD_PROVIDERS]),
	/** Patterns on `provider:region`. */
	regions: z.array(text).min(1).max(200).default(["*"]),
	capacityTypes: z
		.array(z.enum(["on_demand", "spot"]))
		.min(1)
		.default(["on_demand", "spot"]),
});

const offer = z.strictObject({
	provider: z.enum(CLOUD_PROVIDERS),
	region: text,
	zone: text.optional(),
	instanceType: text,
	capacityType: z.enum(["on_demand", "spot", "reserved"]),
	/** Reserved capacity only: how many machines it has, and until when. */
	instances: count(100_000).optional(),
	until: moment.optional(),
	accelerator: text,
	gpus: count(SCENARIO_LIMITS.gpusPerNode),
	vcpus: count(100_000).default(8),
	memoryGiB: z.number().positive().max(1_000_000).default(32),
	/** For reserved capacity, the marginal cost of using it, which may be 0. */
	usdPerHour: usd("0 or more"),
	/** The same machine's on-demand price, the upper limit for spot. */
	onDemandUsdPerHour: usd("above 0").optional(),
	egressUsdPerGiB: usd("0 or more").default(0n),
	gridGramsPerKwh: grams.optional(),
	pue: pue.optional(),
	gangs: z.boolean().default(true),
	billedMinimum: duration.default(MINUTE_MS),
});

/** A discount agreed with a cloud; it applies for the whole replay. */
const discount = z.strictObject({
	provider: z.enum(CLOUD_PROVIDERS),
	capacityType: z.enum(["on_demand", "spot"]).default("on_demand"),
	percent: z.number().gt(0).lt(100),
	/** Patterns as in a policy: on the instance type, and on `provider:region`. */
	instanceFamilies: z.array(text).max(100).default([]),
	regions: z.array(text).max(100).default([]),
});

/** GPUs that an account may use at once in each region. Offers of reserved capacity are exempt. */
const quota = z.strictObject({
	provider: z.enum(CLOUD_PROVIDERS),
	/** Patterns on `provider:region`; each matching region has its own limit. */
	regions: z.array(text).min(1).max(100).default(["*"]),
	accelerator: text.optional(),
	capacityTypes: z
		.array(z.enum(["on_demand", "spot"]))
		.min(1)
		.default(["on_demand", "spot"]),
	gpus: z.number().int().min(0).max(1_000_000),
});

const priceHistory = z.strictObject({
	file,
	/** Position in the file at which the replay starts. */
	from: moment,
});

const spotAvailability = z.strictObject({
	file,
	/** Patterns on trace_id. */
	traces: z.array(text).min(1).max(1_000).default(["*"]),
	/** Multiplies the number of interruptions: recorded runs and gaps are shortened alike. */
	interruptions: z.number().min(0.01).max(100).default(1),
	assign: z
		.array(z.strictObject({ offers: text, trace: text, offset: duration.default(0) }))
		.max(SCENARIO_LIMITS.files)
		.default([]),
});

const grid = z.strictObject({
	/** Position in the files at which the replay starts; omitted: their first hour. */
	from: moment.optional(),
	/** Forecast of coming hours that the core sees; omitted: none, and no start is deferred. */
	forecast: z.enum(GRID_FORECASTS).optional(),
	files: z
		.array(
			z.strictObject({
				file,
				places: z.array(text).min(1).max(1_000),
				/** Forecast hours in the format of `file`; replaces `forecast`. */
				forecastFile: file.optional(),
			}),
		)
		.min(1)
		.max(SCENARIO_LIMITS.files),
});

const data = z.strictObject({
	/** Data that every job sends home from a cloud; priced at the region's egress. */
	outGiB: gib.default(0),
	sets: z
		.array(
			z.strictObject({
				uri: text,
				sizeGiB: gib,
				/** Pool ids or `provider:region`. */
				copies: z.array(text).min(1).max(1_000),
				residency: z
					.array(z.string().regex(/^[a-z]{2,3}$/, "must be a country or an area in lower case, such as de, eu or us"))
					.max(100)
					.default([]),
				/** Patterns on the team. */
				teams: z.array(text).min(1).max(1_000).default(["*"]),
			}),
		)
		.max(SCENARIO_LIMITS.files)
		.default([]),
	links: z
		.array(z.strictObject({ to: text, mibPerS: z.number().positive().max(10_000_000) }))
		.max(SCENARIO_LIMITS.files)
		.default([]),
	/** Patterns on `provider:region`; without a speed, data arrives as fast as at the place. */
	stores: z
		.array(z.strictObject({ at: text, mibPerS: z.number().positive().max(10_000_000).optional() }))
		.max(SCENARIO_LIMITS.files)
		.default([]),
});

/** A pipeline or sweep that the replay submits, once or repeatedly. */
const pipeline = z.strictObject({
	/** In reports; omitted: the name in the file. */
	name: name.optional(),
	/** Its file, or the same document written here. */
	file: file.optional(),
	document: z.record(z.string(), z.unknown()).optional(),
	parameters: z.record(text, z.union([z.string().max(200), z.number(), z.boolean()])).default({}),
	/** Time of the first submission, from the start. */
	submit: duration.default(0),
	every: duration.refine((ms) => ms >= SECOND_MS, "must be at least 1s").optional(),
	times: count(10_000).default(1),
	/** From each submission; replaces the file's deadline. */
	deadline: duration.optional(),
	/** By step or run; omitted: the job's estimate. */
	runTimes: z.record(text, duration).default({}),
	/** Size of each result that one run writes, GiB, by `step.output`; omitted: moving it takes no time and costs nothing. */
	resultGiB: z.record(text, z.number().positive().max(1_000_000)).default({}),
	/** By step or run: the exit code of each try; the last one is that of all further tries. Omitted: 0. */
	exitCodes: z.record(text, z.array(z.number().int().min(0).max(255)).min(1).max(100)).default({}),
	/** By step or run: values of the metric that the sweep stops by, at steps 1, 2, … in equal parts of the run. */
	metric: z.record(text, z.array(z.number()).min(1).max(1_000)).default({}),
	/** By step or run: last value of each metric, for conditions. */
	metrics: z.record(text, z.record(text, z.number())).default({}),
});

const speeds = z
	.record(text, z.number().min(0).max(1e9))
	.refine((all) => Object.values(all).some((speed) => speed > 0), "at least one accelerator must have a speed above 0");

/** Speeds of job families on each accelerator. With it, gpu_type of the trace names the accelerator of the recorded run time. */
const throughput = z.strictObject({
	/** For jobs with an empty gpu_type; its speed is 1. */
	recordedOn: text,
	/** The first matching pattern applies. Speeds in any unit; 0: such jobs cannot run there. Otherwise: public measurements. */
	families: z
		.array(
			z.strictObject({
				teams: z.array(text).min(1).max(1_000).default(["*"]),
				users: z.array(text).min(1).max(1_000).default(["*"]),
				speeds,
			}),
		)
		.max(1_000)
		.default([]),
});

const spec = z.strictObject({
	seed: z
		.number()
		.int()
		.min(0)
		.max(2 ** 31 - 1)
		.default(1),
	/** UTC time of the trace's 0. */
	start: moment.optional(),
	pools: z.array(pool).max(SCENARIO_LIMITS.pools).default([]),
	catalog: catalog.optional(),
	offers: z.array(offer).max(SCENARIO_LIMITS.offers).default([]),
	/** Board power under load by accelerator, W, in addition to the shipped figures. */
	boardWatts: z.record(text, z.number().positive().max(10_000)).default({}),
	discounts: z.array(discount).max(1_000).default([]),
	quotas: z.array(quota).max(1_000).default([]),
	priceHistory: z.array(priceHistory).max(SCENARIO_LIMITS.files).default([]),
	spotAvailability: spotAvailability.optional(),
	boot: duration.default(4 * MINUTE_MS),
	/** From the start of a stopped machine to a running command. */
	startFromStopped: duration.default(90 * SECOND_MS),
	/** For the hours of prewarm rules. */
	timeZone: z.string().refine(isZone, "must be an IANA time zone, such as Europe/Berlin").default("UTC"),
	checkpoint: z
		.strictObject({
			/** `never`: an attempt that ends early loses all its work. */
			every: z
				.union([
					z.literal("never").transform(() => Number.POSITIVE_INFINITY),
					duration.refine((ms) => ms >= SECOND_MS, "must be at least 1s, or never"),
				])
				.default(15 * MINUTE_MS),
			restore: duration.default(3 * MINUTE_MS),
		})
		.default({ every: 15 * MINUTE_MS, restore: 3 * MINUTE_MS }),
	capacityErrors: z
		.strictObject({
			onDemandShare: refusals.default(0),
			answerAfter: duration.default(30 * SECOND_MS),
			/** Launch requests that a region's API accepts per minute; omitted: unlimited. */
			requestsPerMinute: count(1_000_000).optional(),
		})
		.default({ onDemandShare: 0, answerAfter: 30 * SECOND_MS }),
	grid: grid.optional(),
	throughput: throughput.optional(),
	/** Price of a GPU-hour and value of an hour of waiting for the model, when scalable jobs choose their size. */
	scaling: z.strictObject({ usdPerGpuHour: z.number().positive().max(1_000_000), usdPerHour: z.number().min(0).max(1_000_000) }).optional(),
	pipelines: z.array(pipeline).max(SCENARIO_LIMITS.files).default([]),
	data: data.default({ outGiB: 0, sets: [], links: [], stores: [] }),
	forecast: z
		.literal("none", { error: "can only be none: the core sees what a live one would see, and never how long a job will run" })
		.default("none"),
});

export const scenarioSchema = z.strictObject({
	apiVersion: z.literal("spillway/v1"),
	kind: z.literal("Scenario"),
	metadata: z.strictObject({ name }),
	spec,
});
export type ScenarioFile = z.output<typeof scenarioSchema>;
export type ScenarioSpec = ScenarioFile["spec"];

/** Names of the fields of the object at a dotted path, for "did you mean" hints. */
export const fieldsAt = (path: string): readonly string[] => fieldNamesAt(scenarioSchema, path === "" ? [] : path.split(".")) ?? [];
