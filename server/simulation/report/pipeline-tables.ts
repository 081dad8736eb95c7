import type { ReplayedPipeline } from "#server/simulation/replay/types.ts";
import type { SimulationReport } from "./build-report.ts";
import { count, duration } from "./figures.ts";
import { textTable } from "./text-table.ts";

/** Rows of the table of single pipelines; the JSON has all. */
const MOST_ROWS = 40;

interface Row {
	strategy: string;
	pipeline: ReplayedPipeline;
}

/** Pipelines by strategy, and one by one if they are few. */
export function pipelineTables({ runs }: SimulationReport): string[] {
	const rows = runs.flatMap(({ report }) => (report.pipelines ?? []).map((pipeline): Row => ({ strategy: report.strategy, pipeline })));
	if (rows.length === 0) return [];
	const byStrategy = [...Map.groupBy(rows, ({ strategy }) => strategy)].map(([strategy, own]) => ({
		strategy,
		all: own.map(({ pipeline }) => pipeline),
	}));
	const figure = (head: string, of: (pipeline: ReplayedPipeline) => number) => ({
		head,
		cell: ({ all }: { all: ReplayedPipeline[] }) => count(all.reduce((sum, one) => sum + of(one), 0)),
	});
	const summary = textTable(
		[
			{ head: "", cell: ({ strategy }) => strategy },
			figure("done", ({ state }) => (state === "succeeded" ? 1 : 0)),
			figure("refused", ({ state }) => (state === "refused" ? 1 : 0)),
			figure("deadlines met", ({ deadlineMet }) => (deadlineMet === true ? 1 : 0)),
			figure("missed", ({ deadlineMet }) => (deadlineMet === false ? 1 : 0)),
			figure("avoidable", ({ avoidableMiss }) => (avoidableMiss ? 1 : 0)),
			figure("cloud $", ({ cloudCostUsd }) => cloudCostUsd),
			{ head: "kg CO2e", cell: ({ all }) => emissions(all) },
		],
		byStrategy,
	);
	const single =
		rows.length > MOST_ROWS ? [] : ["", "Each pipeline: from its submission to the first start, and to the end", eachPipeline(rows)];
	return ["", "Pipelines", summary, ...single];
}

function eachPipeline(rows: readonly Row[]): string {
	const since = (from: string, to: string | null): string => (to === null ? "never" : duration((Date.parse(to) - Date.parse(from)) / 1000));
	return textTable<Row>(
		[
			{ head: "", cell: ({ strategy, pipeline }) => `${strategy} ${pipeline.name}` },
			{ head: "state", cell: ({ pipeline }) => pipeline.state },
			{ head: "start", cell: ({ pipeline }) => since(pipeline.submittedAt, pipeline.startedAt) },
			{ head: "finish", cell: ({ pipeline }) => since(pipeline.submittedAt, pipeline.finishedAt) },
			{
				head: "deadline",
				cell: ({ pipeline }) => (pipeline.deadlineAt === null ? "none" : since(pipeline.submittedAt, pipeline.deadlineAt)),
			},
			{ head: "", cell: ({ pipeline }) => verdict(pipeline) },
			{ head: "cloud $", cell: ({ pipeline }) => count(pipeline.cloudCostUsd) },
			{ head: "kg CO2e", cell: ({ pipeline }) => emissions([pipeline]) },
		],
		rows,
	);
}

function verdict({ deadlineMet, avoidableMiss }: ReplayedPipeline): string {
	if (deadlineMet === null) return "";
	return deadlineMet ? "met" : avoidableMiss ? "missed, avoidable" : "missed";
}

/** With unknown parts, the true total exceeds the shown one. */
function emissions(pipelines: readonly ReplayedPipeline[]): string {
	const known = pipelines.flatMap(({ emissionsKg }) => emissionsKg ?? []);
	if (known.length === 0) return "?";
	return `${known.length < pipelines.length ? ">" : ""}${count(known.reduce((sum, kg) => sum + kg, 0))}`;
}
