import { SpillwayError } from "#server/kernel/errors.ts";
import { assess } from "#server/plan/assess.ts";
import { modelNamed } from "#server/plan/candidates/prices.ts";
import { headline } from "#server/plan/headline.ts";
import { readHistoryFile } from "#server/plan/history/read-history.ts";
import { renderAssessment } from "#server/plan/render/assessment.ts";
import { renderComparison } from "#server/plan/render/comparison.ts";
import { renderHeadline } from "#server/plan/render/headline.ts";
import { runStudy } from "#server/plan/study.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";
import { ProgressBar } from "#server/simulation/report/progress-bar.ts";
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

/** A share that public scaling curves of data-parallel training reach at 8 times the GPUs: an assumption. */
const PARALLEL_PERCENT = 97;

async function runHeadline(options: PlanOptions, bar: ProgressBar): Promise<void> {
	const study = await prepareStudy(options);
	const command = commandOf(options, study.assessment.capacity.gpus);
	const parallelFraction = (options.parallelPercent ?? PARALLEL_PERCENT) / 100;
	const report = headline(study, { command, parallelFraction }, ({ label, share }) => bar.draw(label, share, 1));
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
