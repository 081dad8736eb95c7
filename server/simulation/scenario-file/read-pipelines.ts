import type { RunSpec } from "#server/domain/pipeline/pipeline.ts";
import { type ParseOptions, parsePipelineDocument, parsePipelineText } from "#server/domain/pipeline/pipeline-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { suggestName } from "#server/kernel/nearest-name.ts";
import { formatDuration } from "#server/kernel/units.ts";
import { checkStepCondition } from "#server/policy/step-condition.ts";
import type { ReplayPipeline } from "#server/simulation/replay/types.ts";
import type { ScenarioContext } from "./context.ts";
import { SCENARIO_LIMITS, type ScenarioSpec } from "./schema.ts";

type PipelineEntry = ScenarioSpec["pipelines"][number];
type Spec = ReplayPipeline["spec"];

/** The pipelines that a replay submits, in order of the file; an entry with `times` is several. */
export function readPipelines(ctx: ScenarioContext): ReplayPipeline[] {
	const { doc, startMs } = ctx;
	const names = new Set<string>();
	const all = doc.spec.pipelines.flatMap((entry, i) => {
		const spec = readSpec(ctx, entry, i);
		if (entry.times > 1 && entry.every === undefined)
			throw doc.error(["pipelines", i, "times"], "needs a time between two submissions.", "Add every, such as every: 1d.");
		if (entry.times > 1 && spec.deadlineMs !== null && entry.deadline === undefined)
			throw doc.error(
				["pipelines", i],
				"the file's deadline is the same for each submission.",
				"Give a deadline from each submission, such as 8h.",
			);
		const runMs = runTimesOf(ctx, entry, i, spec);
		const resultGiB = resultSizesOf(ctx, entry, i, spec);
		const exitCodes = exitCodesOf(ctx, entry, i, spec);
		const metric = metricOf(ctx, entry, i, spec);
		const metrics = lastValuesOf(ctx, entry, i, spec);
		const name = entry.name ?? spec.name;
		if (names.has(name)) throw doc.error(["pipelines", i], `there is a pipeline ${name} already.`, "Give it its own name.");
		names.add(name);
		return Array.from({ length: entry.times }, (_, at): ReplayPipeline => {
			const submitMs = entry.submit + at * (entry.every ?? 0);
			const deadlineMs = entry.deadline === undefined ? spec.deadlineMs : startMs + submitMs + entry.deadline;
			return {
				id: entry.times > 1 ? `${name}-${at + 1}` : name,
				submitMs,
				runMs,
				resultGiB,
				exitCodes,
				metric,
				metrics,
				spec: { ...spec, deadlineMs },
			};
		});
	});
	const runs = all.reduce((sum, { spec }) => sum + runsOf(spec).length, 0);
	if (runs > SCENARIO_LIMITS.pipelineRuns)
		throw doc.error(["pipelines"], `define ${runs} runs; the limit is ${SCENARIO_LIMITS.pipelineRuns}.`, "Lower times.");
	return all.sort((a, b) => a.submitMs - b.submitMs);
}

function readSpec({ doc, read }: ScenarioContext, entry: PipelineEntry, i: number): Spec {
	const at = ["pipelines", i];
	const { file, document } = entry;
	if ((file === undefined) === (document === undefined))
		throw doc.error(at, "needs either file or document.", "Name the pipeline's file, or write the pipeline as document.");
	const options: ParseOptions = { parameters: entry.parameters, checkCondition: checkStepCondition };
	if (file === undefined) {
		const parsed = attempt(() => parsePipelineDocument(document, options));
		if (!(parsed instanceof SpillwayError)) return parsed;
		const [first] = parsed.fields;
		throw doc.error([...at, "document", ...(first?.path.split(".") ?? [])], first?.message ?? parsed.message, fixOf(parsed));
	}
	const { text } = read(file, [...at, "file"]);
	const parsed = attempt(() => parsePipelineText(text, options));
	if (!(parsed instanceof SpillwayError)) return parsed;
	const [first] = parsed.fields;
	const place = first?.line === undefined ? "" : `, line ${first.line}, column ${first.column}`;
	throw doc.error([...at, "file"], `${file}${place}: ${first ? `${first.path}: ${first.message}` : parsed.message}`, fixOf(parsed));
}

function attempt<T>(parse: () => T): T | SpillwayError {
	try {
		return parse();
	} catch (error) {
		if (error instanceof SpillwayError) return error;
		throw error;
	}
}

function fixOf({ fields, fix }: SpillwayError): string {
	const more = fields.length > 1 ? `There are ${fields.length - 1} more problems. ` : "";
	return `${more}${fix ?? "docs/pipelines.md lists every field."}`;
}

function runsOf({ steps }: Spec): RunSpec[] {
	return steps.flatMap(({ runs }) => runs);
}

/** By run: the scenario's time for it or for its step, else the job's own estimate. */
function runTimesOf(ctx: ScenarioContext, { runTimes }: PipelineEntry, i: number, spec: Spec): Map<string, number> {
	const { doc } = ctx;
	requireKnown(ctx, ["pipelines", i, "runTimes"], Object.keys(runTimes), stepsAndRuns(spec), `${spec.name} has no step or run`);
	return new Map(
		spec.steps.flatMap((step) =>
			step.runs.map((run): [string, number] => {
				const { estimateMs, maxMs } = run.job.duration;
				const ms = runTimes[run.name] ?? runTimes[step.name] ?? estimateMs;
				if (ms !== null && maxMs !== null && ms > maxMs)
					throw doc.error(
						["pipelines", i, "runTimes"],
						`${run.name} runs for ${formatDuration(ms)}, longer than its maximum of ${formatDuration(maxMs)}.`,
						"Shorten it, or raise duration.max of its job.",
					);
				if (ms !== null && ms > 0) return [run.name, ms];
				throw doc.error(["pipelines", i], `step ${step.name} has no run time.`, `Add it to runTimes, such as ${step.name}: 1h.`);
			}),
		),
	);
}

function stepsAndRuns({ steps }: Spec): string[] {
	return [...new Set(steps.flatMap(({ name, runs }) => [name, ...runs.map((run) => run.name)]))];
}

function requireKnown(
	{ doc }: ScenarioContext,
	at: readonly (string | number)[],
	names: readonly string[],
	known: readonly string[],
	problem: string,
): void {
	const set = new Set(known);
	for (const name of names)
		if (!set.has(name)) throw doc.error([...at, name], `${problem} ${name}.`, suggestName(name, known.slice(0, 50)));
}

/** Sizes of results that another step reads or that come home. */
function resultSizesOf(ctx: ScenarioContext, { resultGiB }: PipelineEntry, i: number, spec: Spec): Map<string, number> {
	const outputs = spec.steps.flatMap(({ name, runs }) => (runs[0]?.job.outputs ?? []).map((output) => `${name}.${output.name}`));
	requireKnown(ctx, ["pipelines", i, "resultGiB"], Object.keys(resultGiB), outputs, `${spec.name} has no result`);
	return new Map(Object.entries(resultGiB));
}

/** By run: the scenario's exit codes for it or for its step. */
function exitCodesOf(ctx: ScenarioContext, { exitCodes }: PipelineEntry, i: number, spec: Spec): Map<string, number[]> {
	return listsByRun(ctx, ["pipelines", i, "exitCodes"], exitCodes, spec);
}

/** By run: the values of its metric. */
function metricOf(ctx: ScenarioContext, { metric }: PipelineEntry, i: number, spec: Spec): Map<string, number[]> {
	const at = ["pipelines", i, "metric"];
	if (Object.keys(metric).length > 0 && !spec.stop)
		throw ctx.doc.error(at, `${spec.name} stops no trial by a metric.`, "Add stop to the sweep, or remove metric.");
	return listsByRun(ctx, at, metric, spec);
}

/** By run: the last value of each metric, the run's own before its step's. */
function lastValuesOf(ctx: ScenarioContext, { metrics }: PipelineEntry, i: number, spec: Spec): ReplayPipeline["metrics"] {
	requireKnown(ctx, ["pipelines", i, "metrics"], Object.keys(metrics), stepsAndRuns(spec), `${spec.name} has no step or run`);
	return new Map(
		spec.steps.flatMap(({ name, runs }) => runs.map((run) => [run.name, { ...metrics[name], ...metrics[run.name] }] as const)),
	);
}

function listsByRun(
	ctx: ScenarioContext,
	at: readonly (string | number)[],
	given: Readonly<Record<string, number[]>>,
	spec: Spec,
): Map<string, number[]> {
	requireKnown(ctx, at, Object.keys(given), stepsAndRuns(spec), `${spec.name} has no step or run`);
	return new Map(
		spec.steps.flatMap(({ name, runs }) => runs.map((run): [string, number[]] => [run.name, given[run.name] ?? given[name] ?? []])),
	);
}
