import { decide } from "#server/scheduling/decide.ts";
import { DurationBook } from "#server/scheduling/forecast/duration-book.ts";
import type { Action, Plan, Snapshot } from "#server/scheduling/types.ts";
import type { SimContext } from "./context.ts";
import { beginDueMoves, requestMove, requestStop } from "./ending.ts";
import { failWaiting, placeHome, placeInCloud, setWaiting } from "./placing.ts";
import type { AttemptRecord, InstanceRecord } from "./records.ts";
import { takeSnapshot } from "./snapshot.ts";

export interface CycleHooks {
	handOver(attempt: AttemptRecord): void;
	launch(row: InstanceRecord): void;
}

/** Snapshot, decide, apply: the loop's cycle, by the rules of control-loop/apply-plan. */
export class Cycle {
	readonly durations = new DurationBook();
	readonly #ctx: SimContext;
	readonly #hooks: CycleHooks;
	/** Code under which each waiting job was last explained. */
	readonly #explained = new Map<string, string>();

	constructor(ctx: SimContext, hooks: CycleHooks) {
		this.#ctx = ctx;
		this.#hooks = hooks;
	}

	run(): void {
		beginDueMoves(this.#ctx);
		const snapshot = takeSnapshot(this.#ctx, this.durations);
		const plan = decide(snapshot);
		this.#apply(snapshot, plan);
	}

	#apply(snapshot: Snapshot, plan: Plan): void {
		const { sink, book } = this.#ctx;
		const explanations = new Map(plan.explanations.map((e) => [e.jobId, e]));
		for (const action of plan.actions) {
			if (!this.#act(action, snapshot)) continue;
			const explanation = explanations.get(action.jobId);
			const attemptNumber = "attemptNo" in action ? action.attemptNo : null;
			if (explanation) sink.decision({ jobId: action.jobId, decidedAtMs: snapshot.nowMs, attemptNumber, explanation });
			this.#explained.delete(action.jobId);
		}
		const acted = new Set(plan.actions.map((a) => a.jobId));
		for (const [jobId, why] of plan.waiting) {
			const row = book.jobs.get(jobId);
			if (!row || !book.pending.has(row)) continue;
			row.reason = why;
			const explanation = explanations.get(jobId);
			if (!explanation || acted.has(jobId) || this.#explained.get(jobId) === why.code) continue;
			this.#explained.set(jobId, why.code);
			sink.decision({ jobId, decidedAtMs: snapshot.nowMs, attemptNumber: null, explanation });
		}
	}

	#act(action: Action, snapshot: Snapshot): boolean {
		const ctx = this.#ctx;
		switch (action.kind) {
			case "place_home": {
				const attempt = placeHome(ctx, action);
				if (attempt) this.#hooks.handOver(attempt);
				return attempt !== null;
			}
			case "launch": {
				const row = placeInCloud(ctx, action, snapshot);
				if (row) this.#hooks.launch(row);
				return row !== null;
			}
			case "hold":
				return setWaiting(ctx, action.jobId, "held", action.reason);
			case "release":
				return setWaiting(ctx, action.jobId, "queued", action.reason);
			case "fail":
				return failWaiting(ctx, action.jobId, action.reason);
			case "move": {
				const { to, atMs, reason } = action;
				return requestMove(ctx, ctx.book.attempt(action.attemptId), { to, atMs, reason });
			}
			case "stop":
			case "evict": {
				const attempt = ctx.book.attempt(action.attemptId);
				const first = attempt.stopRequestedAtMs === null;
				requestStop(ctx, attempt, action.reason);
				return first && attempt.stopRequestedAtMs !== null;
			}
		}
	}
}
