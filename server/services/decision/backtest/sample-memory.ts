import type { Db } from "#server/db/client.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { RecordedHistory } from "#server/simulation/backtest/history.ts";
import { type BacktestHalf, replayHalf } from "#server/simulation/backtest/replay-half.ts";
import { type HistoryRequest, loadHistory } from "./load-history.ts";
import { findSampleSpan } from "./sample-span.ts";

/** An estimate may lack the jobs of this time; the complete backtest reads everything again. */
export const KEPT_MS = 5 * MINUTE_MS;

/** The latest part of a period, replayed under the published policy. */
export interface PublishedSample {
	history: RecordedHistory;
	published: BacktestHalf;
	/** Jobs of the whole period. */
	ofJobs: number;
}

export interface SampleRequest extends HistoryRequest {
	policyName: string;
	published: Policy;
}

/** Keeps a worker's last sample, so that each edit replays only its draft. */
export class SampleMemory {
	#kept: { key: string; atMs: number; sample: PublishedSample | null } | null = null;

	/** Null if the period is small enough to be replayed completely at once. */
	async load({ db, clock }: { db: Db; clock: Clock }, request: SampleRequest): Promise<PublishedSample | null> {
		const key = keyOf(request);
		const nowMs = clock.nowMs();
		if (this.#kept?.key === key && nowMs - this.#kept.atMs <= KEPT_MS) return this.#kept.sample;
		this.#kept = null;
		const span = await findSampleSpan(db, request);
		const history = span && (await loadHistory(db, { ...request, fromMs: span.fromMs }));
		const sample = history && { history, published: replayHalf(history, request.published), ofJobs: span.ofJobs };
		this.#kept = { key, atMs: nowMs, sample };
		return sample;
	}
}

/** The budgets' periods decide how much earlier spending is read. */
function keyOf({ policyName, version, fromMs, toMs, policies }: SampleRequest): string {
	const periods = new Set(policies.flatMap(({ budgets }) => budgets.map(({ period }) => period)));
	return JSON.stringify([policyName, version, toMs - fromMs, [...periods].toSorted()]);
}
