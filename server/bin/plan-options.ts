import { parseArgs } from "node:util";
import { OPEN_TRACE_NAMES } from "#server/domain/open-traces.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

export const PLAN_VERBS = ["assess", "compare", "headline"] as const;
export type PlanVerb = (typeof PLAN_VERBS)[number];

export interface PlanOptions {
	verb: PlanVerb;
	/** A file, or the name of a public trace. */
	trace: string;
	gpus: number | undefined;
	accelerator: string | undefined;
	/** UTC ms of time 0 in a CSV trace. */
	startMs: number | undefined;
	/** Assess only the jobs of this team, of this class, of this GPU model. */
	team: string | undefined;
	gpuModel: string | undefined;
	workloadClass: string | undefined;
	/** Compare only the last days. */
	days: number | undefined;
	scenario: string | undefined;
	policy: string | undefined;
	card: string | undefined;
	saveScenario: string | undefined;
	seed: number | undefined;
	horizonMonths: number | undefined;
	discountPercent: number | undefined;
	growthPercent: number | undefined;
	deliveryMonths: number | undefined;
	/** Discount of reserved GPUs. */
	commitmentPercent: number | undefined;
	/** Job file with the scaling of the one job on more GPUs. */
	job: string | undefined;
	/** Amdahl's parallel share of the one job on more GPUs, in percent. */
	parallelPercent: number | undefined;
	json: boolean;
	redact: boolean;
	progress: boolean;
	/** The arguments as they were given. */
	argv: readonly string[];
}

/** Stands for every public trace: the headline without --trace. */
export const ALL_OPEN_TRACES = "open";

const GPUS_MAX = 1_000_000;

/**
 * @returns null when help was asked for.
 * @throws SpillwayError `invalid_input` naming the flag.
 */
export function readPlanOptions(argv: readonly string[]): PlanOptions | null {
	const { values, positionals } = parse(argv);
	if (values.help) return null;
	const [given] = positionals;
	const verb = PLAN_VERBS.find((known) => known === given);
	if (!verb || positionals.length > 1)
		throw bad(`"${positionals.join(" ")}" is not a plan command`, `Use one of: ${PLAN_VERBS.join(", ")}.`);
	const trace = values.trace ?? (verb === "headline" ? ALL_OPEN_TRACES : "");
	if (trace === "") throw bad("--trace is missing", `Give --trace FILE, or an open trace: ${OPEN_TRACE_NAMES.join(", ")}.`);
	if (verb !== "assess" && (values.team ?? values.class ?? values.gpu) !== undefined)
		throw bad(`--team, --class and --gpu: plan ${verb} replays all jobs`, "Leave them out, or use plan assess.");
	return {
		verb,
		trace,
		...{ team: values.team, workloadClass: values.class, gpuModel: values.gpu },
		gpus: wholeNumber("gpus", values.gpus, { min: 1, max: GPUS_MAX }),
		accelerator: values.accelerator,
		startMs: moment(values.start),
		days: wholeNumber("days", values.days, { min: 1, max: 36_500 }),
		...{ scenario: values.scenario, policy: values.policy, card: values.card, job: values.job, saveScenario: values["save-scenario"] },
		seed: wholeNumber("seed", values.seed, { min: 0, max: 2 ** 31 - 1 }),
		horizonMonths: wholeNumber("horizon", values.horizon, { min: 1, max: 120 }),
		discountPercent: percent("discount", values.discount, { min: 0, max: 100 }),
		growthPercent: percent("growth", values.growth, { min: -90, max: 500 }),
		deliveryMonths: wholeNumber("delivery", values.delivery, { min: 0, max: 60 }),
		commitmentPercent: percent("commitment-discount", values["commitment-discount"], { min: 0, max: 99 }),
		parallelPercent: percent("parallel", values.parallel, { min: 0, max: 100 }),
		json: values.json ?? false,
		redact: values.redact ?? false,
		progress: !(values["no-progress"] ?? false),
		argv,
	};
}

const PLAIN_WORD = /^[\w./:=,@%+-]+$/;

/**
 * The shell command that gives the same report as JSON.
 * @param gpus value used if --gpus was omitted
 */
export function commandOf({ argv, gpus: given, scenario }: PlanOptions, gpus: number): string {
	const kept = argv.filter((part) => part !== "--json" && part !== "--no-progress");
	const own = given === undefined && scenario === undefined ? [`--gpus=${gpus}`] : [];
	const quoted = [...kept, ...own].map((part) => (PLAIN_WORD.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`));
	return ["spillway", "plan", ...quoted, "--json"].join(" ");
}

function parse(argv: readonly string[]) {
	try {
		return parseArgs({
			args: [...argv],
			allowPositionals: true,
			options: {
				trace: { type: "string" },
				gpus: { type: "string" },
				accelerator: { type: "string" },
				start: { type: "string" },
				team: { type: "string" },
				class: { type: "string" },
				gpu: { type: "string" },
				days: { type: "string" },
				scenario: { type: "string" },
				policy: { type: "string" },
				card: { type: "string" },
				job: { type: "string" },
				"save-scenario": { type: "string" },
				seed: { type: "string" },
				horizon: { type: "string" },
				discount: { type: "string" },
				growth: { type: "string" },
				delivery: { type: "string" },
				parallel: { type: "string" },
				"commitment-discount": { type: "string" },
				json: { type: "boolean" },
				redact: { type: "boolean" },
				"no-progress": { type: "boolean" },
				help: { type: "boolean", short: "h" },
			},
		});
	} catch (cause) {
		const why = cause instanceof Error ? (cause.message.split(". ")[0] ?? "") : String(cause);
		throw new SpillwayError("invalid_input", `${why}.`, { fix: "spillway plan --help lists the flags.", cause });
	}
}

function wholeNumber(name: string, text: string | undefined, { min, max }: { min: number; max: number }): number | undefined {
	if (text === undefined) return undefined;
	const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
	if (value >= min && value <= max) return value;
	throw bad(`--${name}: "${text}" is not a whole number from ${min} to ${max}`, "Change it, or leave it out.");
}

function percent(name: string, text: string | undefined, { min, max }: { min: number; max: number }): number | undefined {
	if (text === undefined) return undefined;
	const value = /^-?\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
	if (value >= min && value <= max) return value;
	throw bad(`--${name}: "${text}" is not a percentage from ${min} to ${max}`, "Write for example 8 or 7.5.");
}

function moment(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const ms = /^\d{4}-\d{2}-\d{2}(T.*)?$/.test(text) ? Date.parse(text) : Number.NaN;
	if (Number.isFinite(ms)) return ms;
	throw bad(`--start: "${text}" is not a date`, "Write for example 2026-01-05 or 2026-01-05T00:00:00Z.");
}

function bad(message: string, fix: string): SpillwayError {
	return new SpillwayError("invalid_input", `${message}.`, { fix });
}
