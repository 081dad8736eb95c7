import { parseArgs } from "node:util";
import { SpillwayError } from "#server/kernel/errors.ts";

export interface SimulateOptions {
	/** null: only the scenario's pipelines are replayed. */
	trace: string | null;
	scenario: string;
	policies: string[];
	strategies: string[];
	/** null: the scenario's own. */
	seed: number | null;
	json: boolean;
	out: string | null;
	lenient: boolean;
	timings: boolean;
	progress: boolean;
}

const SEED_MAX = 2 ** 31 - 1;

/**
 * @returns null when help was asked for.
 * @throws SpillwayError `invalid_input` naming the flag.
 */
export function readSimulateOptions(argv: readonly string[]): SimulateOptions | null {
	const values = parse(argv);
	if (values.help) return null;
	const { scenario } = values;
	if (scenario === undefined || scenario === "")
		throw new SpillwayError("invalid_input", "--scenario is missing.", {
			fix: "Give --scenario FILE, what the jobs are replayed against; examples/simulate has four.",
		});
	return {
		trace: values.trace === undefined || values.trace === "" ? null : values.trace,
		scenario,
		policies: values.policy ?? [],
		strategies: (values.strategy ?? []).flatMap((names) => names.split(",")).map((name) => name.trim()),
		seed: seedOf(values.seed),
		json: values.json ?? false,
		out: values.out ?? null,
		lenient: values.lenient ?? false,
		timings: values.timings ?? false,
		progress: !(values["no-progress"] ?? false),
	};
}

function parse(argv: readonly string[]) {
	try {
		return parseArgs({
			args: [...argv],
			options: {
				trace: { type: "string" },
				scenario: { type: "string" },
				policy: { type: "string", multiple: true },
				strategy: { type: "string", multiple: true },
				seed: { type: "string" },
				json: { type: "boolean" },
				out: { type: "string" },
				lenient: { type: "boolean" },
				timings: { type: "boolean" },
				"no-progress": { type: "boolean" },
				help: { type: "boolean", short: "h" },
			},
		}).values;
	} catch (cause) {
		const why = cause instanceof Error ? (cause.message.split(". ")[0] ?? "") : String(cause);
		throw new SpillwayError("invalid_input", `${why}.`, { fix: "spillway simulate --help lists the flags.", cause });
	}
}

function seedOf(text: string | undefined): number | null {
	if (text === undefined) return null;
	const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
	if (seed <= SEED_MAX) return seed;
	throw new SpillwayError("invalid_input", `--seed: "${text}" is not a whole number from 0 to ${SEED_MAX}.`, {
		fix: "Leave it out for the scenario's own seed.",
	});
}
