/**
 * Accuracy of the demand forecast: `npm run bench:demand -- --trace FILE [--trace FILE] [--json]`; without a trace, for the open traces and
 * for a cluster that was not used for tuning. Hourly demand of a trace (GPUs if each job had started at its submission) is learned hour by
 * hour. Forecasts of a week from every sixth hour of the second half are scored (docs/plan.md).
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { OPEN_TRACE_NAMES } from "#server/domain/open-traces.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { readHistoryFile } from "#server/plan/history/read-history.ts";
import { HELD_OUT_DEMAND, tracePathOf } from "#server/plan/open-traces.ts";
import { hoursOf } from "#server/plan/profile/demand.ts";
import { scoreDemand } from "#server/scheduling/demand/score.ts";

const { values: args } = parseArgs({
	options: { trace: { type: "string", multiple: true, default: [] }, json: { type: "boolean", default: false } },
});
const traces = args.trace.length > 0 ? args.trace : OPEN_TRACE_NAMES;
const results = [];
for (const trace of traces) {
	const { jobs, startMs } = await readHistoryFile(tracePathOf(trace));
	const { fromHour, demand } = hoursOf(jobs, startMs, null);
	results.push({ trace, hours: demand.length, score: scoreDemand(fromHour, demand) });
}
if (args.trace.length === 0) {
	const { fromHour, demand } = readSeries(HELD_OUT_DEMAND);
	results.push({ trace: "helios-earth-demand (held out)", hours: demand.length, score: scoreDemand(fromHour, demand) });
}

/** Hourly rows `hour,gpus` without gaps. */
function readSeries(file: string): { fromHour: number; demand: Float64Array } {
	const rows = readFileSync(file, "utf8").trimEnd().split("\n").slice(1);
	const [first = ""] = rows;
	return {
		fromHour: Date.parse(first.slice(0, first.indexOf(","))) / HOUR_MS,
		demand: Float64Array.from(rows, (row) => Number(row.slice(row.indexOf(",") + 1))),
	};
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
