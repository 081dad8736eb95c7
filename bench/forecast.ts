/**
 * Accuracy of the wait forecast: `npm run bench:forecast -- --trace FILE --owned N [--json]`. The trace is replayed on N owned GPUs by the
 * decision core alone. Each job that cannot start immediately gets a forecast, which is scored when it starts. It learns from the first
 * half of the jobs on, and the forecasts made in the second half are scored (docs/forecast.md).
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { HOUR_MS } from "#server/kernel/units.ts";
import { HORIZONS_MS } from "#server/scheduling/forecast/calibrate.ts";
import { horizonName } from "#server/scheduling/forecast/record.ts";
import { type KeptForecast, ScoreBook } from "#server/scheduling/forecast/score-book.ts";
import { scaled } from "#server/scheduling/home.ts";
import type { ForecastScale } from "#server/scheduling/types.ts";
import { readTrace } from "#server/simulation/trace-file/read-trace.ts";
import { quantile, round } from "./lib/figures.ts";
import { OwnedReplay } from "./lib/owned-replay.ts";

const DEFAULT_TRACE = "../shared/data/traces/philly_muri_vc2.csv";
/** Synthetic jobs, for a run without a trace. */
const SAMPLE_TRACE = path.join(import.meta.dirname, "samples/starburst/trace.csv");
/** The scale is relearned at this interval of the trace. */
const LEARN_EVERY_MS = 3 * HOUR_MS;

const ASSUMPTIONS = [
	"nodes of 8 GPUs; accelerator models and deadlines of the trace are ignored; no one gives an estimate; a recorded user stands for the job's name, a recorded group for its team",
	"a job that asks for more than the cluster has is left out",
	"truth: the start that the core's own queue order and backfill gave the job in the same replay, in which nothing bursts and the first 32 jobs in order are looked at for a start",
	"a forecast: of every waiting job in a cycle over the whole queue; such cycles are as frequent as 1,000,000 forecasts in all allow; recorded with a job's first forecast, and once for each nearer horizon that it enters",
	"scored: forecasts made after half of the jobs were submitted, until the last has started; atSubmission: the first of each job only",
	"run times and the correction are learned as the replay goes on, in the second half too, from what had happened by then and nothing later",
];

interface Score {
	p50Coverage: number;
	p90Coverage: number;
	medianWidthS: number;
	samples: number;
}

const { values: args } = parseArgs({
	options: { trace: { type: "string" }, owned: { type: "string" }, json: { type: "boolean", default: false } },
});

async function main(): Promise<void> {
	const sample = !args.trace && !existsSync(DEFAULT_TRACE);
	const trace = args.trace ?? (sample ? SAMPLE_TRACE : DEFAULT_TRACE);
	const ownedGpus = Number(args.owned ?? (sample ? 8 : 256));
	if (!Number.isInteger(ownedGpus) || ownedGpus < 1)
		fail(`--owned is ${args.owned}: give the number of GPUs, a whole number of 1 or more.`);
	if (!existsSync(trace)) fail(`There is no trace ${trace}. Name one with --trace FILE (CSV or sacct --parsable2, gzipped or not).`);
	const jobs = await readTrace(trace);
	const halfAtMs = jobs[Math.floor(jobs.length / 2)]?.submitMs ?? 0;
	const began = performance.now();

	const book = new ScoreBook();
	const startsMs = new Map<string, number>();
	const kept: KeptForecast[] = [];
	let scale: ForecastScale | undefined;
	let learnedAtMs = Number.NEGATIVE_INFINITY;
	const replay = new OwnedReplay(ownedGpus, jobs.length, {
		forecast(plan, nowMs) {
			if (nowMs - learnedAtMs >= LEARN_EVERY_MS) {
				learnedAtMs = nowMs;
				scale = book.scale(nowMs);
			}
			const given = book.give(plan.forecasts, (range) => scaled(range, nowMs, scale), nowMs);
			if (nowMs >= halfAtMs) kept.push(...given);
		},
		started(jobId, nowMs) {
			startsMs.set(jobId, nowMs);
			book.started(jobId, nowMs);
		},
	});
	replay.run(jobs);

	const scoreOf = (list: readonly KeptForecast[]): Score => score(list, startsMs);
	const byHorizon = HORIZONS_MS.map((_, i) => ({ horizon: horizonName(i), ...scoreOf(kept.filter((f) => f.horizon === i)) }));
	const report = {
		trace,
		ownedGpus,
		jobs: jobs.length,
		leftOut: replay.tooLarge,
		...scoreOf(kept),
		atSubmission: scoreOf(kept.filter((f) => f.first)),
		byHorizon: byHorizon.filter((row) => row.samples > 0),
		assumptions: ASSUMPTIONS,
		replaySeconds: round((performance.now() - began) / 1000),
	};
	if (args.json) console.log(JSON.stringify(report));
	else print(report);
}

/** NaN is not valid JSON: without a sample all values are 0, and `samples` shows it. */
function score(list: readonly KeptForecast[], startsMs: ReadonlyMap<string, number>): Score {
	const scored = list.flatMap((f) => {
		const startMs = startsMs.get(f.jobId);
		return startMs === undefined ? [] : [{ f, waitMs: startMs - f.atMs }];
	});
	const share = (hits: number): number => (scored.length === 0 ? 0 : round(hits / scored.length, 4));
	const widths = scored.map(({ f }) => (f.forecastP90Ms - f.forecastP50Ms) / 1000);
	return {
		p50Coverage: share(scored.filter(({ f, waitMs }) => waitMs <= f.forecastP50Ms).length),
		p90Coverage: share(scored.filter(({ f, waitMs }) => waitMs <= f.forecastP90Ms).length),
		medianWidthS: widths.length === 0 ? 0 : round(quantile(widths, 0.5)),
		samples: scored.length,
	};
}

function print(
	report: Score & { trace: string; ownedGpus: number; atSubmission: Score; byHorizon: (Score & { horizon: string })[] },
): void {
	console.log(`Wait forecasts of ${report.trace} on ${report.ownedGpus} owned GPUs`);
	const { p50Coverage, p90Coverage, medianWidthS, samples } = report;
	console.table([
		{ horizon: "all", p50Coverage, p90Coverage, medianWidthS, samples },
		{ horizon: "at submission", ...report.atSubmission },
		...report.byHorizon,
	]);
	for (const assumption of ASSUMPTIONS) console.log(`- ${assumption}`);
}

function fail(message: string): never {
	console.error(message);
	process.exit(2);
}

await main();
