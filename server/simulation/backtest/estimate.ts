import type { BacktestEstimate } from "#server/domain/backtest.ts";
import type { RecordedHistory } from "./history.ts";
import type { BacktestHalf, JobOutcome } from "./replay-half.ts";

/** The spread between these parts of the sample gives the error. */
const BLOCKS = 8;
/** With jobs in fewer parts, the error is unknown. */
const BLOCKS_MIN = 4;
const STANDARD_ERRORS = 2;

/** Sums of jobs submitted in one part of the sample. */
interface Block {
	jobs: number;
	costMicroUsd: number;
	waitMs: number;
}

/**
 * Scales the latest part of a period to the whole by its number of jobs. The part is replayed like any period, so queues, gangs and
 * budgets are exact in it. A sample of single jobs on a share of the GPUs has other queues and other places for large jobs.
 */
export function estimateOf(
	sample: Pick<RecordedHistory, "fromMs" | "toMs" | "jobs">,
	halves: { published: BacktestHalf; draft: BacktestHalf },
	ofJobs: number,
): BacktestEstimate | null {
	const pairs = sample.jobs.flatMap((job) => {
		const [published, draft] = [halves.published.courses.get(job.id), halves.draft.courses.get(job.id)];
		return published && draft ? [{ atMs: job.submittedAtMs, published, draft }] : [];
	});
	if (pairs.length === 0) return null;
	const scale = ofJobs / pairs.length;
	const sum = (of: (pair: (typeof pairs)[number]) => number): number => pairs.reduce((total, pair) => total + of(pair), 0);
	const wait = ({ atMs }: { atMs: number }, { firstStartMs }: JobOutcome): number => (firstStartMs ?? sample.toMs) - atMs;
	const blocks = Map.groupBy(pairs, ({ atMs }) => Math.floor((BLOCKS * (atMs - sample.fromMs)) / (sample.toMs - sample.fromMs)));
	const changes = [...blocks.values()].map(
		(own): Block => ({
			jobs: own.length,
			costMicroUsd: own.reduce((total, { published, draft }) => total + Number(draft.costMicroUsd - published.costMicroUsd), 0),
			waitMs: own.reduce((total, pair) => total + wait(pair, pair.draft) - wait(pair, pair.published), 0),
		}),
	);
	const costError = errorOf(changes, ({ costMicroUsd }) => costMicroUsd);
	const waitError = errorOf(changes, ({ waitMs }) => waitMs);
	return {
		...{ fromMs: sample.fromMs, jobs: pairs.length, ofJobs },
		publishedCostMicroUsd: String(Math.round(scale * sum(({ published }) => Number(published.costMicroUsd)))),
		draftCostMicroUsd: String(Math.round(scale * sum(({ draft }) => Number(draft.costMicroUsd)))),
		costErrorMicroUsd: costError === null ? null : String(Math.round(scale * costError)),
		publishedMeanWaitMs: Math.round(sum((pair) => wait(pair, pair.published)) / pairs.length),
		draftMeanWaitMs: Math.round(sum((pair) => wait(pair, pair.draft)) / pairs.length),
		waitErrorMs: waitError === null ? null : Math.round(waitError / pairs.length),
	};
}

/** Error of a sum over the blocks, by the deviations from their common mean per job. */
function errorOf(blocks: readonly Block[], of: (block: Block) => number): number | null {
	if (blocks.length < BLOCKS_MIN) return null;
	const total = blocks.reduce((sum, block) => sum + of(block), 0);
	const perJob = total / blocks.reduce((sum, { jobs }) => sum + jobs, 0);
	const squares = blocks.reduce((sum, block) => sum + (of(block) - perJob * block.jobs) ** 2, 0);
	return STANDARD_ERRORS * Math.sqrt((squares * blocks.length) / (blocks.length - 1));
}
