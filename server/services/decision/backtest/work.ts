import type { Db } from "#server/db/client.ts";
import { backtest } from "#server/db/schema/backtest.ts";
import type { BacktestResult } from "#server/domain/backtest.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { fetchVersion } from "#server/services/policy/fetch-version.ts";
import { estimateOf } from "#server/simulation/backtest/estimate.ts";
import type { RecordedHistory } from "#server/simulation/backtest/history.ts";
import { type BacktestHalf, replayHalf } from "#server/simulation/backtest/replay-half.ts";
import { compareHalves } from "#server/simulation/backtest/run-backtest.ts";
import { type Going, runTerm, type TermEnd } from "../background/run-term.ts";
import { isMine, type Term } from "../background/table.ts";
import { type HistoryRequest, loadHistory } from "./load-history.ts";
import type { SampleMemory } from "./sample-memory.ts";

/** Of 1000: the share of progress for reading the record. */
const READING_PERMILLE = 150;
/** Reading is half done after this many jobs; the total is not known in advance. */
const READ_HALF = 20_000;

export interface WorkContext {
	db: Db;
	clock: Clock;
	timing: Pick<Timing, "cloudStartMs" | "offerCooldownMs">;
	samples: SampleMemory;
	/** For an unexpected error, its full text. */
	logError(error: unknown): void;
	/** Replays one policy, in its own thread when the caller must not be blocked. Rejects when the signal aborts. */
	replay(history: RecordedHistory, policy: Policy, options: ReplayOptions): Promise<BacktestHalf>;
}

export interface ReplayOptions {
	signal: AbortSignal;
	/** 0 to 1. */
	onProgress(share: number): void;
}

/** Runs a started backtest: reads the record, replays both policies, writes the result. Ends early when canceled. */
export async function workOnBacktest(ctx: WorkContext, term: Term): Promise<TermEnd> {
	const [row] = await ctx.db.select().from(backtest).where(isMine("backtest", term));
	if (!row) return "given_up";
	return runTerm(ctx, "backtest", term, async (going) => ({ result: await work(ctx, row, going) }));
}

async function work(ctx: WorkContext, row: typeof backtest.$inferSelect, going: Going): Promise<BacktestResult> {
	const { stop, progress } = going;
	const base = await fetchVersion(ctx.db, row.policyName, row.baseVersion);
	const policies = { published: readPolicy(base.source, `version ${row.baseVersion}`), draft: readPolicy(row.source, "the draft") };
	const request: HistoryRequest = {
		...{ fromMs: row.fromTime.getTime(), toMs: row.toTime.getTime(), version: row.baseVersion },
		policies: [policies.published, policies.draft],
		timing: ctx.timing,
	};
	const sample = await ctx.samples.load(ctx, { ...request, policyName: row.policyName, published: policies.published });
	stop.signal.throwIfAborted();
	// In this thread: starting others takes longer than so few jobs.
	if (sample) {
		const draft = replayHalf(sample.history, policies.draft);
		await going.write({ estimate: estimateOf(sample.history, { published: sample.published, draft }, sample.ofJobs) });
	}
	const history = await loadHistory(ctx.db, {
		...request,
		onJobs: (read) => {
			stop.signal.throwIfAborted();
			progress.permille = Math.round((READING_PERMILLE * read) / (read + READ_HALF));
		},
	});
	const shares = { published: 0, draft: 0 };
	const half = (which: "published" | "draft"): Promise<BacktestHalf> =>
		ctx.replay(history, policies[which], {
			signal: stop.signal,
			onProgress: (share) => {
				shares[which] = share;
				progress.permille = READING_PERMILLE + Math.floor((999 - READING_PERMILLE) * ((shares.published + shares.draft) / 2));
			},
		});
	try {
		const [published, draft] = await Promise.all([half("published"), half("draft")]);
		return compareHalves(history, { published, draft }, policies);
	} catch (error) {
		if (stop.signal.aborted) throw error;
		// Stop the other replay: its result is no longer needed.
		stop.abort(error);
		throw new SpillwayError("precondition_failed", error instanceof Error ? error.message : String(error));
	}
}

function readPolicy(source: string, what: string): Policy {
	const { policy, problems } = parseStoredPolicy(source);
	if (policy) return policy;
	throw new SpillwayError("invalid_input", `Could not read the policy of ${what}: ${problems[0]?.message ?? "unknown"}`);
}
