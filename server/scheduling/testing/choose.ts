import { type BudgetBook, openBudgets } from "../budget.ts";
import type { DueBurst } from "../burst.ts";
import { openCaps } from "../caps.ts";
import { chooseOffer, makeAskApproval, type OfferChoice } from "../choose-offer.ts";
import { type CloudRun, cloudRunOf } from "../cost.ts";
import { openOfferBook } from "../offers.ts";
import { queuedJob } from "../order.ts";
import { makeRunTimeOf, remainingOf } from "../run-time.ts";
import { makeShapes, type Shape } from "../shape.ts";
import type { PendingJob, Snapshot } from "../types.ts";

export interface Chosen {
	choice: OfferChoice;
	run: CloudRun;
	shape: Shape;
	budgets: BudgetBook;
	/** The offer's id if one was chosen. */
	offerId: string | null;
}

/** The offer that this job would get if it left now, chosen as in a cycle; `budgets` continues from an earlier choice. */
export function chooseFor(snapshot: Snapshot, job: PendingJob, given: { due?: DueBurst; budgets?: BudgetBook } = {}): Chosen {
	const shapeOf = makeShapes(snapshot.policy, [], openOfferBook(snapshot), snapshot.nowMs);
	const shape = shapeOf(job.spec);
	const rest = remainingOf(makeRunTimeOf(snapshot.durations)(job.spec), job.completedMs, job.spec.duration.maxMs);
	const run = cloudRunOf(queuedJob(job, rest, snapshot.nowMs), shape.verdict, snapshot);
	const budgets =
		given.budgets ??
		openBudgets(
			snapshot.budgets,
			openCaps(snapshot, (spec) => shapeOf(spec).verdict.caps),
		);
	const choice = chooseOffer(shape, job, run, budgets, makeAskApproval(snapshot.policy), snapshot.nowMs, given.due ?? null);
	return { choice, run, shape, budgets, offerId: choice.kind === "chosen" ? choice.row.offer.id : null };
}
