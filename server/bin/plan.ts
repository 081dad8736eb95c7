import { gpusOf } from "#server/domain/job.ts";
import { parseJobText } from "#server/domain/job-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { assess } from "#server/plan/assess.ts";
import { modelNamed } from "#server/plan/candidates/prices.ts";
import { headline, type OneJob } from "#server/plan/headline.ts";
import { readHistoryFile } from "#server/plan/history/read-history.ts";
import { renderAssessment } from "#server/plan/render/assessment.ts";
import { renderComparison } from "#server/plan/render/comparison.ts";
import { renderHeadline } from "#server/plan/render/headline.ts";
import { runStudy } from "#server/plan/study.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";
import { ProgressBar } from "#server/simulation/report/progress-bar.ts";
import { readTextFile } from "#server/simulation/trace-file/read-trace.ts";
import { prepareStudy } from "./plan-compare.ts";
import { commandOf, PLAN_VERBS, type PlanOptions, type PlanVerb, readPlanOptions } from "./plan-options.ts";

const USAGE = `Usage: spillway plan ${PLAN_VERBS.join("|")} --trace FILE [flags]

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

/** Of the one job, without --job: assumptions. */
const PARALLEL_PERCENT = 97;
const TIMES_GPUS = 8;
const NODE_GPUS = 8;

/** @throws SpillwayError `invalid_input` for a job file without scaling. */
function readOneJob({ job: file, parallelPercent }: PlanOptions): OneJob {
	if (file === undefined) {
		const parallel = (parallelPercent ?? PARALLEL_PERCENT) / 100;
		const source = `Amdahl's law with a parallel share of ${parallel}, ${parallelPercent === undefined ? "assumed" : "given"}`;
		return { scaling: { parallel, upTo: NODE_GPUS * TIMES_GPUS }, gpus: NODE_GPUS, source };
	}
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
	const study = await prepareStudy(options);
	const command = commandOf(options, study.assessment.capacity.gpus);
	const report = headline(study, { command, oneJob: readOneJob(options) }, ({ label, share }) => bar.draw(label, share, 1));
	bar.clear();
	process.stdout.write(options.json ? `${JSON.stringify(report, null, 1)}\n` : renderHeadline(report));
}

async function runAssess(options: PlanOptions, bar: ProgressBar): Promise<void> {
	const { trace, gpus, startMs, redact, commitmentPercent } = options;
	const history = await readHistoryFile(trace, {
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
		commitmentPercent,
	});
	process.stdout.write(options.json ? `${JSON.stringify(assessment, null, 1)}\n` : renderAssessment(assessment));
}

// A reader of a pipe that has seen enough (| head) is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code === "EPIPE") process.exit(EXIT.done);
	throw error;
});
process.exitCode = await main();
