/**
 * Other published systems on the inputs that they ship, compared with Spillway's core in a replay:
 * `npm run bench:peers -- [--skynomad DIR] [--starburst TRACE,GPUS,RESULTS] [--gaia DIR] [--json]`.
 * Without any of them all three run on the synthetic samples of bench/samples, which contain none of the published figures.
 * SkyNomad: a job with a deadline on spot in several zones; `--told length|estimate|limit` is the core's knowledge of its length.
 * Starburst: which jobs wait for home and which leave; a curve over the cost of an hour's delay, with run times unknown and known.
 * GAIA: carbon, money and waiting together; `--grid FILE` names the grid for a folder without one, `--grid-forecast
 * history|persistence|perfect` the forecast that the core sees. docs/simulator.md has the terms.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Policy } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { GRID_FORECASTS, type GridForecast } from "#server/simulation/replay/grid-ahead.ts";
import { readTrace } from "#server/simulation/trace-file/read-trace.ts";
import { type GaiaFigures, readGaiaInputs, runGaia } from "./lib/peers/gaia.ts";
import { type RunTimeInput, runSkynomad } from "./lib/peers/skynomad.ts";
import { readPeerInputs } from "./lib/peers/skynomad-inputs.ts";
import { readStarburstResults, runStarburst, type StarburstPoint } from "./lib/peers/starburst.ts";

const SAMPLES = path.join(import.meta.dirname, "samples");
const POLICIES = path.join(import.meta.dirname, "policies");

const { values: args } = parseArgs({
	options: {
		skynomad: { type: "string" },
		told: { type: "string", default: "length" },
		starburst: { type: "string" },
		gaia: { type: "string" },
		grid: { type: "string", default: path.resolve(import.meta.dirname, "../../shared/data/carbon/hourly/US-CAL-CISO.csv.gz") },
		"grid-forecast": { type: "string", default: "history" },
		json: { type: "boolean", default: false },
	},
});

function readPolicy(name: string): Policy {
	const file = path.join(POLICIES, name);
	const { policy, problems } = parsePolicy(readFileSync(file, "utf8"));
	if (policy) return policy;
	throw new SpillwayError("invalid_input", `${file}: ${problems.map((p) => `${p.line}:${p.column} ${p.message}`).join(" ")}`);
}

function readRunTimeInput(told: string): RunTimeInput {
	if (told === "length" || told === "estimate" || told === "limit") return told;
	throw new SpillwayError("invalid_input", `--told ${told} is unknown.`, { fix: "Use length, estimate or limit." });
}

function readGridForecast(name: string): GridForecast {
	const kind = GRID_FORECASTS.find((known) => known === name);
	if (kind) return kind;
	throw new SpillwayError("invalid_input", `--grid-forecast ${name} is unknown.`, { fix: `Use ${GRID_FORECASTS.join(", ")}.` });
}

async function starburstOf(argument: string): Promise<(Omit<StarburstPoint, "hasRunTimes"> & { told: boolean })[]> {
	const [trace, gpus, results] = argument.split(",");
	const ownedGpus = Number(gpus);
	if (!trace || !results || !Number.isInteger(ownedGpus) || ownedGpus < 1)
		throw new SpillwayError("invalid_input", `--starburst ${argument} is not TRACE,GPUS,RESULTS.`, {
			fix: "Give the trace, the number of owned GPUs and the results, with commas between them.",
		});
	const policy = readPolicy("starburst.yaml");
	const policyFor = (usd: string): Policy => ({ ...policy, weights: { ...policy.weights, delayMicroUsdPerHour: usdToMicro(usd) } });
	const points = runStarburst(await readTrace(trace), ownedGpus, readStarburstResults(results), policyFor);
	return points.map(({ hasRunTimes, ...point }) => ({ told: hasRunTimes, ...point }));
}

const onSamples = !args.skynomad && !args.starburst && !args.gaia;
const skynomadDir = args.skynomad ?? (onSamples ? path.join(SAMPLES, "skynomad") : null);
const starburstArgument =
	args.starburst ?? (onSamples ? `${SAMPLES}/starburst/trace.csv,16,${SAMPLES}/starburst/results_sample.csv` : null);
const gaiaDir = args.gaia ?? (onSamples ? path.join(SAMPLES, "gaia") : null);

const skynomad = skynomadDir ? runSkynomad(readPeerInputs(skynomadDir), readPolicy("peers.yaml"), readRunTimeInput(args.told)) : null;
const starburst = starburstArgument ? await starburstOf(starburstArgument) : null;
const gaia: GaiaFigures | null = gaiaDir
	? runGaia(await readGaiaInputs(gaiaDir, args.grid), readPolicy("gaia.yaml"), readGridForecast(args["grid-forecast"]))
	: null;

const result = { ...(skynomad && { skynomad }), ...(starburst && { starburst }), ...(gaia && { gaia }) };
if (args.json) console.log(JSON.stringify(result));
else for (const table of Object.values(result)) console.table(table);
