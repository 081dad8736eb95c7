/**
 * How good the demand forecast is: `npm run bench:demand -- --trace FILE [--trace FILE] [--json]`. Hourly demand of a trace (GPUs if each job
 * had started at its submission) is learned hour by hour; forecasts of a week from every sixth hour of the second half are scored (docs/plan.md).
 */
import { parseArgs } from "node:util";
import { scoreDemand } from "#server/plan/demand/score.ts";
import { readHistoryFile } from "#server/plan/history/read-history.ts";
import { hoursOf } from "#server/plan/profile/demand.ts";

const { values: args } = parseArgs({
	options: { trace: { type: "string", multiple: true, default: [] }, json: { type: "boolean", default: false } },
});
const DEFAULT_TRACES = ["philly.csv.gz", "philly_muri_vc2.csv", "philly_chronus_mix2_deadlines.csv.gz"].map(
	(name) => `../shared/data/traces/${name}`,
);
const traces = args.trace.length > 0 ? args.trace : DEFAULT_TRACES;
const results = [];
for (const trace of traces) {
	const { jobs, startMs } = await readHistoryFile(trace);
	const { fromHour, demand } = hoursOf(jobs, startMs, null);
	results.push({ trace, hours: demand.length, score: scoreDemand(fromHour, demand) });
}
const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
if (args.json) process.stdout.write(`${JSON.stringify({ benchmark: "demand", results }, null, 1)}\n`);
else
	for (const { trace, hours, score } of results)
		process.stdout.write(
			score
				? `${trace}: ${score.heldOutWeeks} weeks held out, ${score.forecasts} forecasts; P50 ${percent(score.p50Coverage)}, P90 ${percent(score.p90Coverage)}; weighted error ${percent(score.weightedError)}, seasonal-naive ${percent(score.naiveWeightedError)} (${percent(score.change)})\n`
				: `${trace}: ${hours} hours are too few to score\n`,
		);
