import type { DescribedTrace, SimulationReport, SimulationRun } from "./build-report.ts";
import { count, duration } from "./figures.ts";
import { pipelineTables } from "./pipeline-tables.ts";
import { textTable } from "./text-table.ts";

/** The report for people: what was replayed, under which scenario, and a comparison of the strategies. Lines fit 120 characters. */
export function renderReport(report: SimulationReport): string {
	return [
		...header(report),
		...TABLES.flatMap(({ title, columns }) => [
			"",
			title,
			textTable(
				columns.filter((column) => column.only?.(report) ?? true),
				report.runs,
			),
		]),
		...pipelineTables(report),
		...remarks(report),
		"",
	].join("\n");
}

function header({ trace, scenario, seed, runs }: SimulationReport): string[] {
	const policies = runs.flatMap(({ policy, report }) => (policy ? [`Policy    ${report.strategy}: ${policy.name} (${policy.file})`] : []));
	return [
		...(trace ? [traceLine(trace)] : []),
		...(scenario.pipelines === undefined ? [] : [`Pipelines ${some(scenario.pipelines, "pipeline")} of the scenario`]),
		`Scenario  ${scenario.name} (${scenario.file}), seed ${seed}: ${some(scenario.ownedGpus, "owned GPU")}, ${some(scenario.offers, "offer")}, ${duration(
			scenario.bootMs / 1000,
		)} to boot, ${saving(scenario)}`,
		...policies,
	];
}

function traceLine(trace: DescribedTrace): string {
	const deadlines = trace.strictDeadlines + trace.softDeadlines;
	return `Trace     ${trace.file}: ${some(trace.jobs, "job")}, ${count(trace.gpuHours)} GPU-hours, submitted over ${fixed(trace.days, 1)} days${
		deadlines > 0 ? `, ${count(trace.strictDeadlines)} strict and ${count(trace.softDeadlines)} soft deadlines` : ""
	}`;
}

function saving({ checkpointEveryMs, restoreMs }: SimulationReport["scenario"]): string {
	if (checkpointEveryMs === null) return "no checkpoints";
	return `a checkpoint every ${duration(checkpointEveryMs / 1000)}, ${duration(restoreMs / 1000)} to restore`;
}

type Column = { head: string; cell: (run: SimulationRun) => string; only?: (report: SimulationReport) => boolean };
const name: Column = { head: "", cell: ({ report }) => report.strategy };
const figure = (head: string, cell: (report: SimulationRun["report"]) => string): Column => ({ head, cell: ({ report }) => cell(report) });

const keepsMachines = ({ runs }: SimulationReport): boolean => runs.some(({ report }) => report.keptWarmUsd !== undefined);

const TABLES: readonly { title: string; columns: readonly Column[] }[] = [
	{
		title: "Time: from submission to the first start, and to the end",
		columns: [
			name,
			figure("jobs done", (r) => count(r.jobsDone)),
			figure("mean wait", (r) => duration(r.meanWaitS)),
			figure("p50", (r) => duration(r.p50WaitS)),
			figure("p95", (r) => duration(r.p95WaitS)),
			{
				...figure("burst p95", (r) => (r.burstJobs === 0 ? "-" : duration(r.p95BurstWaitS))),
				only: keepsMachines,
			},
			figure("mean time to model", (r) => duration(r.meanTimeToModelS)),
			figure("p50", (r) => duration(r.p50TimeToModelS)),
			figure("p95", (r) => duration(r.p95TimeToModelS)),
		],
	},
	{
		title: "Money and carbon",
		columns: [
			name,
			figure("owned use", (r) => `${fixed(r.ownedUtilisation * 100, 1)}%`),
			{
				...figure("reserved GPUh", (r) => count(r.cloudGpuHoursByCapacityType["reserved"] ?? 0)),
				only: ({ runs }) => runs.some((run) => "reserved" in run.report.cloudGpuHoursByCapacityType),
			},
			...(["on_demand", "spot"] as const).map((type) =>
				figure(`${type.replace("_", "-")} GPUh`, (r) => count(r.cloudGpuHoursByCapacityType[type] ?? 0)),
			),
			figure("compute $", (r) => count(r.costByKindUsd.compute ?? 0)),
			figure("egress $", (r) => count(r.costByKindUsd.egress ?? 0)),
			figure("cloud $", (r) => count(r.cloudCostUsd)),
			{
				...figure("kept ready $", (r) => count(r.keptWarmUsd ?? 0)),
				only: keepsMachines,
			},
			figure("over budget $", (r) => count(r.overshootUsd)),
			figure("egress GiB", (r) => count(r.egressGiB)),
			figure("kg CO2e", (r) => emissions(r.emissionsKg, r.emissionsUnknownGpuHours)),
		],
	},
	{
		title: "Disturbance and deadlines",
		columns: [
			name,
			figure("interruptions", (r) => count(r.interruptions)),
			figure("moves", (r) => count(r.moves)),
			figure("evictions", (r) => count(r.evictions)),
			figure("refusals", (r) => count(r.refusals)),
			figure("lost GPUh", (r) => count(r.lostGpuHours)),
			figure("strict misses", (r) => count(r.strictMisses)),
			figure("avoidable", (r) => count(r.avoidableStrictMisses)),
			figure("soft misses", (r) => count(r.softMisses)),
		],
	},
];

/** With unknown parts, the true total exceeds the shown one. */
function emissions(kg: number | null, unknownGpuHours: number): string {
	return kg === null ? "?" : `${unknownGpuHours > 0 ? ">" : ""}${count(kg)}`;
}

/** Remarks that a reader needs to interpret the figures. */
function remarks({ trace, scenario, runs }: SimulationReport): string[] {
	const unfinished = runs.filter(({ report }) => report.jobsDone < report.jobs);
	const lines = [
		...(trace ? traceRemarks(trace) : []),
		scenario.spotOffers > scenario.spotOffersWithTrace
			? `${some(scenario.spotOffers - scenario.spotOffersWithTrace, "spot offer")} without an availability trace: always available and never reclaimed.`
			: "",
		scenario.placesWithoutCarbon > 0
			? `${some(scenario.placesWithoutCarbon, "place")} without a known grid intensity or power: not in the CO2 (> a sum without it, ? nothing is known).`
			: "",
		...unfinished.map(
			({ report }) => `${report.strategy}: ${some(report.jobs - report.jobsDone, "job")} never done; the times are of the others.`,
		),
	].filter((line) => line !== "");
	return lines.length > 0 ? ["", ...lines] : [];
}

function traceRemarks({ notes, jobsWithoutPlace }: DescribedTrace): string[] {
	return [
		notes.badRows > 0 ? `${some(notes.badRows, "row")} of the trace left out: not readable.` : "",
		notes.withoutGpus > 0 ? `${some(notes.withoutGpus, "row")} of the trace left out: no GPU was used.` : "",
		notes.neverStarted > 0 ? `${some(notes.neverStarted, "job")} of the trace left out: never started.` : "",
		jobsWithoutPlace > 0
			? `${some(jobsWithoutPlace, "job")} of the trace left out: too large for every pool and offer, for another accelerator, or bound to an area without either.`
			: "",
		notes.fractionsRoundedUp > 0 ? `${some(notes.fractionsRoundedUp, "job")} with a part of a GPU, replayed with whole ones.` : "",
		notes.stillRunning > 0 ? `${some(notes.stillRunning, "job")} that still ran when recorded: replayed as long as was seen.` : "",
	];
}

function some(value: number, what: string): string {
	return `${count(value)} ${what}${value === 1 ? "" : "s"}`;
}

function fixed(value: number, digits: number): string {
	return value.toFixed(digits);
}
