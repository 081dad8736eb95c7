import type { Policy } from "#server/domain/policy.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { microToUsdNumber } from "#server/kernel/money.ts";
import { judgeQuote } from "#server/policy/judge-quote.ts";
import type { BudgetBook, BudgetShort } from "./budget.ts";
import { type CloudRun, estimateOf, holdOf } from "./cost.ts";
import { LIMITS } from "./limits.ts";
import { lowestPrice, type OfferRow } from "./offers.ts";
import type { Shape } from "./shape.ts";
import type { PendingJob } from "./types.ts";

/** What came of looking for an offer for a job that may leave home. */
export type OfferChoice =
	| { kind: "chosen"; row: OfferRow; holdMicroUsd: bigint; passedOver: PassedOver[] }
	| { kind: "over_budget"; row: OfferRow; short: BudgetShort; passedOver: PassedOver[] }
	| { kind: "needs_approval"; row: OfferRow; ask: ApprovalAsk; passedOver: PassedOver[] }
	/** Every eligible offer is left alone for now, until `untilMs` at the earliest. */
	| { kind: "backed_off"; untilMs: number; passedOver: PassedOver[] }
	| { kind: "none"; passedOver: PassedOver[] };

/** A cheaper offer than the one chosen, with what spoke against it. */
export type PassedOver =
	| { row: OfferRow; why: "budget_exceeded"; short: BudgetShort }
	| { row: OfferRow; why: "approval_required"; ask: ApprovalAsk }
	| { row: OfferRow; why: "capacity_backoff"; untilMs: number };

export interface ApprovalAsk {
	ruleId: string;
	role: Role;
	costMicroUsd: number;
}

export type AskApproval = (row: OfferRow, run: CloudRun, job: PendingJob) => ApprovalAsk | null;

/** The approval that a placement needs and does not have. What a person approved holds up to that estimated cost. */
export function makeAskApproval(policy: Policy): AskApproval {
	const asks = policy.rules.some((rule) => rule.effect.kind === "require" && rule.effect.approval !== null);
	if (!asks) return () => null;
	return (row, run, job) => {
		const costMicroUsd = estimateOf(row, run).totalMicroUsd;
		if (job.approvedMicroUsd !== null && BigInt(costMicroUsd) <= job.approvedMicroUsd) return null;
		const quote = { costUsd: costMicroUsd / 1e6, hourlyUsd: microToUsdNumber(row.offer.microUsdPerHour ?? 0n), offer: row.offer };
		const ask = judgeQuote(policy, job.spec, quote);
		return ask && { ...ask, costMicroUsd };
	};
}

/** The cheapest offer that the job may have now: not in back-off, worst case within every budget, approved where asked. */
export function chooseOffer(
	shape: Shape,
	job: PendingJob,
	run: CloudRun,
	budgets: BudgetBook,
	askApproval: AskApproval,
	nowMs: number,
): OfferChoice {
	const fit = shape.offers();
	const passedOver: PassedOver[] = [];
	const avoided = avoidedBy(job, nowMs);
	const lowest = avoided.size === 0 ? fit.lowest : lowestPrice(fit.usable.filter((row) => !avoided.has(row.offer.id)));
	if (!lowest) return noneNow(fit.eligible, avoided);
	// When the lowest price does not fit, no other does: nothing more to look at.
	const short = budgets.shortOf(shape.verdict.budgets, holdOf(lowest, run));
	if (short) return { kind: "over_budget", row: lowest, short, passedOver };
	let firstAsk: { row: OfferRow; ask: ApprovalAsk } | null = null;
	let asked = 0;
	for (const row of fit.usable) {
		const untilMs = avoided.get(row.offer.id);
		if (untilMs !== undefined) {
			passedOver.push({ row, why: "capacity_backoff", untilMs });
			continue;
		}
		const holdMicroUsd = holdOf(row, run);
		const tooDear = budgets.shortOf(shape.verdict.budgets, holdMicroUsd);
		if (tooDear) {
			passedOver.push({ row, why: "budget_exceeded", short: tooDear });
			continue;
		}
		const ask = askApproval(row, run, job);
		if (!ask) return { kind: "chosen", row, holdMicroUsd, passedOver };
		firstAsk ??= { row, ask };
		passedOver.push({ row, why: "approval_required", ask });
		if (++asked >= LIMITS.approvalTries) break;
	}
	return firstAsk ? { kind: "needs_approval", ...firstAsk, passedOver } : { kind: "none", passedOver };
}

const NONE_AVOIDED: ReadonlyMap<string, number> = new Map();

/** Offers that failed this job lately, with the time until which they are left alone. */
function avoidedBy(job: PendingJob, nowMs: number): ReadonlyMap<string, number> {
	if (job.avoidOffers.length === 0) return NONE_AVOIDED;
	return new Map(job.avoidOffers.filter((a) => a.untilMs > nowMs).map((a) => [a.offerId, a.untilMs]));
}

function noneNow(eligible: readonly OfferRow[], avoided: ReadonlyMap<string, number>): OfferChoice {
	if (eligible.length === 0) return { kind: "none", passedOver: [] };
	const untilMs = eligible.reduce(
		(min, row) => Math.min(min, Math.max(row.backoffUntilMs, avoided.get(row.offer.id) ?? 0)),
		Number.POSITIVE_INFINITY,
	);
	return { kind: "backed_off", untilMs, passedOver: [] };
}
