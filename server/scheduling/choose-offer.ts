import type { ApprovalAnswer } from "#server/domain/approval.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { microToUsdNumber } from "#server/kernel/money.ts";
import { judgeQuote } from "#server/policy/judge-quote.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import { bestOf, type PassedOver } from "./best-offer.ts";
import { makeBlockedBy, makeUnfit } from "./blocked-by.ts";
import { type BudgetBook, type BudgetShort, budgetFacts } from "./budget.ts";
import type { DueBurst } from "./burst.ts";
import { type CapShort, type CapUsage, capFacts } from "./caps.ts";
import { type CloudRun, egressGiBOf, estimateOf, holdOf, lifeOn, stagingOn } from "./cost.ts";
import { firmOnly } from "./firm-only.ts";
import { LIMITS } from "./limits.ts";
import { type NoOffer, noOfferLasts, noOfferNow } from "./no-offer.ts";
import type { OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";
import type { Shape } from "./shape.ts";
import { type DeadlineDecision, deadlineWay, SPOT_IS_CHEAPEST, SPOT_TOO_SHORT, type SpotWait } from "./spot-or-firm.ts";
import { trialOf } from "./throughput/trial.ts";
import { trialKey } from "./throughput/trial-keys.ts";
import type { PendingJob, Reservation, Snapshot, TimeSpread, WarmMachine } from "./types.ts";

/** Result of the search for an offer for a job that may leave home. */
export type OfferChoice =
	| ChosenOffer
	| { kind: "over_budget"; row: OfferRow; short: BudgetShort; passedOver: PassedOver[] }
	| { kind: "over_cap"; row: OfferRow; short: CapShort; passedOver: PassedOver[] }
	| { kind: "needs_approval"; row: OfferRow; ask: ApprovalAsk; passedOver: PassedOver[] }
	/**
	 * `row`, firm capacity, is available. The job waits for spot instead, until `untilMs` at the latest, because the deadline allows it and
	 * the expected cost is lower.
	 */
	| ({ kind: "waits_for_spot"; row: OfferRow; removal: Removal; passedOver: PassedOver[] } & SpotWait)
	| NoOffer;

export interface ChosenOffer {
	kind: "chosen";
	row: OfferRow;
	/** Worst case, all instances together. */
	holdMicroUsd: bigint;
	/** Worst-case egress of the run, GiB. */
	egressGiB: number;
	/** Longest life of its instances. */
	lifeMs: number;
	/** The score that decided the choice. */
	scoreMicroUsd: number;
	/** Chosen to measure the accelerator although another is expected to cost less (throughput/trial.ts). */
	isTrial?: boolean;
	passedOver: PassedOver[];
}

export interface ApprovalAsk {
	ruleId: string;
	role: Role;
	costMicroUsd: number;
	/** Approval was requested at this price and not granted; null: a request is needed. */
	said: ApprovalAnswer | null;
}

export type AskApproval = (row: OfferRow, run: CloudRun, job: PendingJob) => ApprovalAsk | null;

/** The approval that a placement requires and does not have. An approval covers up to the approved estimated cost. */
export function makeAskApproval(policy: Policy): AskApproval {
	const asks = policy.rules.some((rule) => rule.effect.kind === "require" && rule.effect.approval !== null);
	return (row, run, job) => {
		if (!asks && job.spec.approvalAboveUsd === undefined) return null;
		const costMicroUsd = estimateOf(row, run).totalMicroUsd;
		const cost = BigInt(costMicroUsd);
		const { approvals } = job;
		if (!approvals && job.approvedMicroUsd !== null && cost <= job.approvedMicroUsd) return null;
		const hourly = (row.offer.microUsdPerHour ?? 0n) * BigInt(run.instances);
		const quote = { costUsd: costMicroUsd / 1e6, hourlyUsd: microToUsdNumber(hourly), offer: row.offer };
		const granted = (ruleId: string) => approvals?.some((a) => a.ruleId === ruleId && a.upToMicroUsd !== null && cost <= a.upToMicroUsd);
		const ask = judgeQuote(policy, job.spec, quote, (ruleId) => granted(ruleId) ?? false);
		return ask && { ...ask, costMicroUsd, said: answerTo(approvals, ask.ruleId, cost) };
	};
}

/** A rejection always holds; an approval holds only up to the cost that the approver saw. */
function answerTo(approvals: PendingJob["approvals"], ruleId: string, costMicroUsd: bigint): ApprovalAnswer | null {
	const said = approvals?.find((a) => a.ruleId === ruleId);
	if (said?.answer !== "granted") return said ?? null;
	return costMicroUsd <= said.askedMicroUsd ? said : null;
}

/**
 * The lowest-scoring offer that the job may use now: firm if its deadline requires it, not in back-off, with enough free capacity, long
 * enough, within the limits of the due rule, worst case within every budget and cap, and approved where required.
 *
 * Rows are sorted by ranking price, and a row's score is never below leastScoreFrom, which grows in that order. So the search ends at the
 * first row that cannot beat the best found. With equal records that is the first usable row.
 */
export function chooseOffer(
	shape: Shape,
	job: PendingJob,
	run: CloudRun,
	budgets: BudgetBook,
	askApproval: AskApproval,
	nowMs: number,
	due: DueBurst | null = null,
): OfferChoice {
	const none = noOfferLasts(shape.offers().eligible, job, run, budgets, nowMs);
	if (none) return none;
	const blockedBy = makeBlockedBy(job, run, budgets, nowMs, due?.atMost ?? null);
	const noSpot = firmOnly(job, run, nowMs, firmStagingMs(shape, run));
	if (noSpot) {
		const firm = chooseAmong(shape, job, run, budgets, askApproval, (row) => (row.offer.capacityType === "spot" ? noSpot : blockedBy(row)));
		// If no firm capacity is available, spot is better than waiting.
		if (firm.kind === "chosen") return firm;
	}
	const way = noSpot || !run.mayWait ? null : wayOf(shape, run, nowMs, blockedBy);
	const followed = way && chooseBy(way, shape, job, run, budgets, askApproval, blockedBy);
	return followed ?? chooseAmong(shape, job, run, budgets, askApproval, blockedBy);
}

function wayOf(shape: Shape, run: CloudRun, nowMs: number, blockedBy: (row: OfferRow) => Removal | null): DeadlineDecision | null {
	const leavesFirm = shape.verdict.moves.some(({ to }) => to.includes("cheaper"));
	return deadlineWay(shape.offers().eligible, run, nowMs, firmStagingMs(shape, run), leavesFirm, blockedBy);
}

/**
 * The offer with the lowest score on the capacity that the deadline's rule chooses; null if none is available. Then any other is better
 * than none.
 */
function chooseBy(
	way: DeadlineDecision,
	shape: Shape,
	job: PendingJob,
	run: CloudRun,
	budgets: BudgetBook,
	askApproval: AskApproval,
	blockedBy: (row: OfferRow) => Removal | null,
): OfferChoice | null {
	const removal = way.on === "spot" ? SPOT_IS_CHEAPEST : SPOT_TOO_SHORT;
	const isOther = (row: OfferRow): boolean => (row.offer.capacityType === "spot") !== (way.on === "spot");
	const found = chooseAmong(shape, job, run, budgets, askApproval, (row) => blockedBy(row) ?? (isOther(row) ? removal : null));
	if (found.kind !== "chosen") return null;
	if (way.on !== "wait") return found;
	const { on: _, ...wait } = way;
	return { kind: "waits_for_spot", row: found.row, passedOver: found.passedOver, ...wait };
}

/** The shortest staging time of the run's data to a firm machine, ms; 0 without data or such a machine. */
export function firmStagingMs(shape: Shape, run: CloudRun): number {
	if (run.data.length === 0) return 0;
	const firm = shape.offers().eligible.filter((row) => row.offer.capacityType !== "spot");
	return firm.length === 0 ? 0 : Math.min(...firm.map((row) => stagingOn(row, run)).map(({ ms, waitMs }) => ms + waitMs));
}

function chooseAmong(
	shape: Shape,
	job: PendingJob,
	run: CloudRun,
	budgets: BudgetBook,
	askApproval: AskApproval,
	blockedBy: (row: OfferRow) => Removal | null,
): OfferChoice {
	const { eligible, byPrice } = shape.offers();
	const { verdict } = shape;
	if (verdict.budgets.length > 0 || verdict.caps.length > 0) {
		const { lowest, blocked } = lowestOf(byPrice(), blockedBy);
		if (!lowest) return noOfferNow(blocked);
		// If the lowest price does not fit, no other does: stop.
		const short = moneyShort(verdict, lowest, run, budgets, job.reservation);
		if (short) return { ...short, row: lowest, passedOver: [] };
	}
	const asks = new Map<OfferRow, ApprovalAsk>();
	const spokenAgainst = (row: OfferRow): Removal | null => {
		const asked = asks.get(row);
		return asked ? approvalRemoval(asked) : (blockedBy(row) ?? moneyRemoval(verdict, row, run, budgets, job.reservation));
	};
	for (;;) {
		const { best: cheapest, passedOver } = bestOf(eligible, run, spokenAgainst);
		const trial = cheapest && asks.size === 0 ? trialOf(eligible, job.spec, run, cheapest, spokenAgainst) : null;
		const best = trial && !askApproval(trial.row, run, job) ? trial : cheapest;
		const ask = best && askApproval(best.row, run, job);
		if (best && !ask) {
			const holdMicroUsd = holdOf(best.row, run);
			const { row, scoreMicroUsd } = best;
			const isTrial = best !== cheapest;
			const egressGiB = egressGiBOf(row, run);
			return {
				kind: "chosen",
				row,
				scoreMicroUsd,
				holdMicroUsd,
				egressGiB,
				lifeMs: lifeOn(row, run),
				passedOver,
				...(isTrial && { isTrial }),
			};
		}
		if (best && ask) asks.set(best.row, ask);
		const first = [...asks].find(([, asked]) => asked.said === null) ?? [...asks][0];
		if (!first) return noOfferNow(passedOver);
		if (!best || asks.size >= LIMITS.approvalTries) return { kind: "needs_approval", row: first[0], ask: first[1], passedOver };
	}
}

/** The lowest-priced row that is not blocked. If there is none, all of them in their order. */
function lowestOf(
	byPrice: readonly OfferRow[],
	blockedBy: (row: OfferRow) => Removal | null,
): { lowest: OfferRow | null; blocked: PassedOver[] } {
	const blocked: PassedOver[] = [];
	for (const row of byPrice) {
		const removal = blockedBy(row);
		if (removal === null) return { lowest: row, blocked };
		blocked.push({ row, removal });
	}
	return { lowest: null, blocked: blocked.sort((a, b) => a.row.index - b.row.index) };
}

function approvalRemoval(ask: ApprovalAsk): Removal {
	return { ruleId: ask.ruleId, why: "approval_required", facts: { role: ask.role, costMicroUsd: String(ask.costMicroUsd) } };
}

const WARM_START: TimeSpread = { p50Ms: LIMITS.warmStartMs, p90Ms: LIMITS.warmStartMs };

/** Never later than a launch. */
function soonerOf(launch: TimeSpread, start: TimeSpread): TimeSpread {
	return { p50Ms: Math.min(launch.p50Ms, start.p50Ms), p90Ms: Math.min(launch.p90Ms, start.p90Ms) };
}

/**
 * The lowest-scoring machine kept warm that the job may take, with its run there; null if there is none. A running one starts it in
 * seconds, and needs no capacity or quota; a stopped one needs both. A job on several machines takes none.
 */
export function chooseWarm(
	shape: Shape,
	job: PendingJob,
	run: CloudRun,
	{ warm, nowMs }: Pick<Snapshot, "warm" | "nowMs">,
	budgets: BudgetBook,
	askApproval: AskApproval,
	due: DueBurst | null,
): { choice: ChosenOffer; run: CloudRun } | null {
	const rules = shape.verdict.prewarm ?? [];
	if (!warm || rules.length === 0 || run.instances > 1) return null;
	const isFree = ({ ruleId, instanceId, readyUntilMs, expiresAtMs }: WarmMachine): boolean =>
		rules.includes(ruleId) && !budgets.warmTaken.has(instanceId) && (readyUntilMs ?? 0) > nowMs && expiresAtMs >= nowMs + run.lifeMs;
	const free = warm.filter(isFree);
	if (free.length === 0) return null;
	const noSpot = firmOnly(job, run, nowMs, firmStagingMs(shape, run)) !== null;
	const fit = shape.offers();
	const atMost = due?.atMost ?? null;
	const found = [false, true].flatMap((isStopped) => {
		const byOffer = new Map(free.filter(({ start }) => (start !== undefined) === isStopped).map((machine) => [machine.offerId, machine]));
		const [first] = byOffer.values();
		if (!first) return [];
		const isWarm = ({ offer }: OfferRow): boolean => byOffer.has(offer.id) && !(noSpot && offer.capacityType === "spot");
		const offers = { ...fit, eligible: fit.eligible.filter(isWarm), byPrice: () => fit.byPrice().filter(isWarm) };
		const there: CloudRun = { ...run, start: soonerOf(run.start, first.start ?? WARM_START), warm: byOffer };
		const blocked = isStopped ? makeBlockedBy(job, there, budgets, nowMs, atMost) : makeUnfit(there, job, nowMs, atMost);
		const choice = chooseAmong({ ...shape, offers: () => offers }, job, there, budgets, askApproval, blocked);
		return choice.kind === "chosen" ? [{ choice, run: there }] : [];
	});
	return found.reduce<(typeof found)[number] | null>(
		(best, next) => (best && best.choice.scoreMicroUsd <= next.choice.scoreMicroUsd ? best : next),
		null,
	);
}

/** What a placement there adds to cap usage. */
export function capAskOf(row: OfferRow, run: CloudRun): CapUsage {
	const takes = run.warm?.get(row.offer.id);
	const microUsdPerHour = (takes?.start ? null : takes?.microUsdPerHour) ?? (row.offer.microUsdPerHour ?? 0n) * BigInt(run.instances);
	return { microUsdPerHour, instances: run.instances, egressGiB: egressGiBOf(row, run), takes };
}

type MoneyShort = { kind: "over_budget"; short: BudgetShort } | { kind: "over_cap"; short: CapShort };

function moneyShort(
	verdict: JobVerdict,
	row: OfferRow,
	run: CloudRun,
	budgets: BudgetBook,
	reservation: Reservation | undefined,
): MoneyShort | null {
	const budget = budgets.shortOf(verdict.budgets, holdOf(row, run), reservation);
	if (budget) return { kind: "over_budget", short: budget };
	const cap = verdict.caps.length === 0 ? null : budgets.caps.shortOf(verdict.caps, capAskOf(row, run));
	return cap && { kind: "over_cap", short: cap };
}

function moneyRemoval(
	verdict: JobVerdict,
	row: OfferRow,
	run: CloudRun,
	budgets: BudgetBook,
	reservation: Reservation | undefined,
): Removal | null {
	const over = moneyShort(verdict, row, run, budgets, reservation);
	return over && shortRemoval(over);
}

export function shortRemoval(over: MoneyShort): Removal {
	return over.kind === "over_budget"
		? { ruleId: null, why: "budget_exceeded", facts: budgetFacts(over.short) }
		: { ruleId: over.short.cap.id, why: "cap_exceeded", facts: capFacts(over.short) };
}

/** Subtracts the needs of the chosen offer from budgets, caps, quotas and reserved capacity, for later jobs of the plan. */
export function takeChoice(
	budgets: BudgetBook,
	verdict: JobVerdict,
	{ row, holdMicroUsd }: ChosenOffer,
	run: CloudRun,
	job?: Pick<PendingJob, "spec" | "reservation">,
): void {
	budgets.take(verdict.budgets, holdMicroUsd, job?.reservation);
	const warm = run.warm?.get(row.offer.id);
	if (warm) budgets.warmTaken.add(warm.instanceId);
	if (!warm || warm.start) budgets.scarce.take(row, run.instances);
	if (job) run.terms.trials.add(trialKey(job.spec, row.machine.accelerator));
	if (verdict.caps.length > 0) budgets.caps.take(verdict.caps, capAskOf(row, run));
}
