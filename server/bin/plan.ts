import { gpusOf } from "#server/domain/job.ts";
import { parseJobText } from "#server/domain/job-file.ts";
import { OPEN_TRACE_NAMES } from "#server/domain/open-traces.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { assess } from "#server/plan/assess.ts";
import { modelNamed } from "#server/plan/candidates/prices.ts";
import { assumedJob, headline, type PlanHeadline, type SingleJob } from "#server/plan/headline.ts";
import { readHistoryFile } from "#server/plan/history/read-history.ts";
import { tracePathOf } from "#server/plan/open-traces.ts";
import { renderAssessment } from "#server/plan/render/assessment.ts";
import { renderComparison } from "#server/plan/render/comparison.ts";
import { renderHeadline } from "#server/plan/render/headline.ts";
import { runStudy } from "#server/plan/study.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";
import { ProgressBar } from "#server/simulation/report/progress-bar.ts";
import { readTextFile } from "#server/simulation/trace-file/read-trace.ts";
import { prepareStudy } from "./plan-compare.ts";
import { ALL_OPEN_TRACES, commandOf, PLAN_VERBS, type PlanOptions, type PlanVerb, readPlanOptions } from "./plan-options.ts";

const USAGE = `Usage: spillway plan ${PLAN_VERBS.join("|")} --trace FILE|NAME [flags]

docs/plan.md explains each figure.
`;

/** Exit codes as in cli/exit.ts. */
const EXIT = { done: 0, badInput: 2 } as const;

async function main(): Promise<number> {
	try {
		const options = readPlanOptions(process.argv.slice(2));
		if (options)
			await RUN[options.verb](options, new ProgressBar(process.stderr, { enabled: options.progress, nowMs: () => performance.now() }));
		else process.stdout.write(USAGE);
		return EXIT.done;
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		process.stderr.write(`spillway: ${[error.message, error.fix ?? ""].filter((part) => part !== "").join(" ")}\n`);
		return EXIT.badInput;
	}
}

const RUN: Record<PlanVerb, (options: PlanOptions, bar: ProgressBar) => Promise<void>> = {
	assess: runAssess,
	compare: runCompare,
	headline: runHeadline,
};

async function runCompare(options: PlanOptions, bar: ProgressBar): Promise<void> {
	const comparison = runStudy(await prepareStudy(options), ({ label, share }) => bar.draw(label, share, 1));
	bar.clear();
	process.stdout.write(options.json ? `${JSON.stringify(comparison, null, 1)}\n` : renderComparison(comparison));
}

/** @throws SpillwayError `invalid_input` for a job file without scaling. */
function readOneJob({ job: file, parallelPercent }: PlanOptions): SingleJob {
	if (file === undefined) return assumedJob(parallelPercent);
	const spec = parseJobText(readTextFile(file, "job file"));
	if (!spec.scaling)
		throw new SpillwayError("invalid_input", `${file} has no scaling.`, {
			fix: "Add spec.scaling, for example { parallel: 0.97, upTo: 64 }.",
		});
	const { estimateMs } = spec.duration;
	return {
		scaling: spec.scaling,
		gpus: gpusOf(spec),
		...(estimateMs !== null && { durationMs: estimateMs }),
		source: `scaling of ${file}`,
	};
}

async function runHeadline(options: PlanOptions, bar: ProgressBar): Promise<void> {
	const isAll = options.trace === ALL_OPEN_TRACES;
	const reports: PlanHeadline[] = [];
	for (const trace of isAll ? OPEN_TRACE_NAMES : [options.trace]) {
		const one = { ...options, trace, argv: isAll ? [...options.argv, `--trace=${trace}`] : options.argv };
		const study = await prepareStudy(one);
		const command = commandOf(one, study.assessment.capacity.gpus);
		reports.push(headline(study, { command, oneJob: readOneJob(one) }, ({ label, share }) => bar.draw(`${trace}: ${label}`, share, 1)));
	}
	bar.clear();
	const [first] = reports;
	const whole = isAll ? { apiVersion: "spillway/v1", kind: "PlanHeadlines", items: reports } : first;
	process.stdout.write(options.json ? `${JSON.stringify(whole, null, 1)}\n` : reports.map(renderHeadline).join("\n"));
}

async function runAssess(options: PlanOptions, bar: ProgressBar): Promise<void> {
	const { trace, gpus, startMs, redact, commitmentPercent, team, workloadClass, gpuModel } = options;
	const history = await readHistoryFile(tracePathOf(trace), {
		startMs,
		acceleratorsNamed,
		onProgress: (rows, share) => bar.draw(`${rows.toLocaleString("en-US")} rows`, share, 1),
	});
	bar.clear();
	const assessment = assess(history, {
		source: trace,
		gpus,
		accelerator: modelNamed(options.accelerator),
		isRedacted: redact,
		filter: { team, workloadClass, gpuModel },
		commitmentPercent,
	});
	process.stdout.write(options.json ? `${JSON.stringify(assessment, null, 1)}\n` : renderAssessment(assessment));
}

// A reader that closes the pipe early (| head) is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code === "EPIPE") process.exit(EXIT.done);
	throw error;
});
process.exitCode = await main();
