import type { Explanation } from "#server/domain/decision.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { Random } from "#server/kernel/random.ts";
import type { Book } from "./book.ts";
import type { BudgetLedger } from "./budget-ledger.ts";
import type { OfferShelf } from "./offer-shelf.ts";
import type { AttemptRecord, InstanceRecord } from "./records.ts";
import type { Scenario } from "./scenario.ts";

/** A line about an event, as services/event writes it. */
export interface SimNews {
	kind:
		| "job_submitted"
		| "job_placed"
		| "job_held"
		| "job_started"
		| "job_interrupted"
		| "job_succeeded"
		| "job_failed"
		| "job_cancelled"
		| "instance_terminated";
	atMs: number;
	jobId: string | null;
	instanceId: string | null;
	siteId: string | null;
	reason: Reason | null;
}

/** A stored decision: what led to an attempt, or why a job was held or failed. */
export interface SimDecision {
	jobId: string;
	decidedAtMs: number;
	attemptNumber: number | null;
	explanation: Explanation;
}

/** Append-only output of a run. */
export interface Sink {
	news(line: SimNews): void;
	decision(decision: SimDecision): void;
}

/** Shared state of the parts of a world. */
export interface SimContext {
	readonly scenario: Scenario;
	readonly book: Book;
	readonly budgets: BudgetLedger;
	readonly shelf: OfferShelf;
	readonly random: { cloud: Random; ids: Random };
	readonly sink: Sink;
	nowMs(): number;
	at(atMs: number, run: () => void): void;
	/** A cycle must process a change. */
	wake(): void;
	/** An instance should be checked. */
	poke(row: InstanceRecord, atMs: number): void;
	/** An attempt was asked to end. */
	stopRequested(attempt: AttemptRecord): void;
}
