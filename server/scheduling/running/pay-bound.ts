import { gpusOf } from "#server/domain/job.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type CloudRun, type CostTerms, cloudRunOf, leastScoreFrom, ratesOn, scoreAt } from "../cost.ts";
import type { OfferRow } from "../offers.ts";
import type { OfferRates } from "../records.ts";
import { restoreMsOf } from "../restore.ts";
import type { Shape } from "../shape.ts";
import type { RunningAttempt, Snapshot } from "../types.ts";
import { costOfRest, delayCostMicroUsd } from "./attempt-facts.ts";
import { savingOn } from "./move-cheaper.ts";
import { leastSaving } from "./moving-rule.ts";
import type { ProvenOffers } from "./proven-offers.ts";
import { fastestOf } from "./return-home.ts";
import type { RoomAtHome } from "./types.ts";

/** Covers the rounding of plain numbers, µ$. */
const ROUNDING_MICRO_USD = 2;
/**
 * Rates that are worse here and better elsewhere than the current ones, so that one result survives their changes; tried in this order.
 * Interruptions change slowly, refusals fade within minutes.
 */
const SLACKS = [
	{ here: 1.02, interruptions: 1 / 1.02, refusals: 0 },
	{ here: 1.02, interruptions: 1 / 1.02, refusals: 1 / 1.02 },
	{ here: 1, interruptions: 1, refusals: 1 },
] as const;

/** No move to one of these candidates pays while the current offer has at most these rates and the others have at least theirs. */
interface Stays {
	candidates: readonly OfferRow[];
	here: OfferRates;
	others: readonly { row: OfferRow; rates: OfferRates }[];
	data: Snapshot["data"];
	startMs: number;
}

/** Lower and upper bound of its remaining time, as one run in the cloud. */
interface Runs {
	least: CloudRun;
	most: CloudRun;
	startMs: number;
	data: Snapshot["data"];
}

/**
 * Upper bound on the savings of a move of one cloud attempt at any checkpoint where its expected remaining time lies between two bounds
 * (move-bounds.ts). Valid while shapes and prices stay the same. It never rejects an attempt that would move, so few are fully scored per
 * cycle.
 */
export class PayBound {
	readonly #attempt: RunningAttempt;
	readonly #shape: Shape;
	readonly #gpus: number;
	/** Bounds of the remaining time, ms. */
	readonly #leastMs: number;
	readonly #mostMs: number;
	/** Price in effect, µ$ per ms, for all its instances together. */
	readonly #perMs: number;
	readonly #fastest: number;
	readonly #leastHome: number;
	readonly #leastCheaper: number;
	readonly #mayBeCheaper: boolean;
	/** Its current offer; null if the job may not use it. */
	readonly #here: OfferRow | null;
	#stays: Stays | null = null;
	#runs: Runs | null = null;

	/** `left`: bounds of the remaining run time at its checkpoints, ms. The price must be known. */
	constructor(attempt: RunningAttempt, shape: Shape, left: { leastMs: number; mostMs: number }) {
		this.#attempt = attempt;
		this.#shape = shape;
		this.#gpus = gpusOf(attempt.spec);
		this.#leastMs = left.leastMs;
		this.#mostMs = left.mostMs;
		this.#perMs = (costOfRest(attempt, HOUR_MS) ?? Number.POSITIVE_INFINITY) / HOUR_MS;
		this.#fastest = fastestOf(shape);
		const { moves } = shape.verdict;
		this.#leastHome = shape.home.length === 0 ? Number.POSITIVE_INFINITY : leastSaving(moves, "home");
		this.#leastCheaper = leastSaving(moves, "cheaper");
		this.#mayBeCheaper = this.#perMs * this.#mostMs + ROUNDING_MICRO_USD >= this.#leastCheaper;
		this.#here = (this.#mayBeCheaper && attempt.offerId && shape.offers().byId(attempt.offerId)) || null;
	}

	/** False: with this room, no move home saves the amount that a rule requires (the formula: return-home.ts). */
	couldPayAtHome(snapshot: Snapshot, { gpus, idleForMs }: RoomAtHome): boolean {
		if (this.#gpus > gpus || this.#leastHome === Number.POSITIVE_INFINITY) return false;
		const outAgainMs = idleForMs < this.#leastMs ? 2 * restoreMsOf(snapshot) + snapshot.cloudStartMs.p50Ms : 0;
		const rentMicroUsd = this.#perMs * (Math.min(this.#mostMs, idleForMs) - outAgainMs);
		const slowerMs = restoreMsOf(snapshot) + outAgainMs - this.#mostMs * (1 - 1 / this.#fastest);
		return rentMicroUsd - delayCostMicroUsd(snapshot, this.#shape, slowerMs) + ROUNDING_MICRO_USD >= this.#leastHome;
	}

	/**
	 * False: no proven offer is cheaper by the amount that a rule requires. Cost: a comparison of rates, or a few scores once they have
	 * changed.
	 */
	couldPayCheaper(snapshot: Snapshot, terms: CostTerms, proven: ProvenOffers): boolean {
		if (!this.#mayBeCheaper) return false;
		const here = this.#here;
		if (here === null) return true;
		const rates = ratesOn(here, terms);
		if (this.#stays && isStill(this.#stays, rates, terms, proven.candidatesOf(this.#shape.offers(), terms), snapshot)) return false;
		for (const slack of SLACKS) {
			this.#stays = this.#staysBy(here, rates, slack, snapshot, terms, proven);
			if (this.#stays) return false;
		}
		return true;
	}

	#staysBy(
		here: OfferRow,
		now: OfferRates,
		slack: (typeof SLACKS)[number],
		snapshot: Snapshot,
		terms: CostTerms,
		proven: ProvenOffers,
	): Stays | null {
		const { least, most } = this.#runsIn(snapshot);
		const { checkpointEveryMs: every } = most;
		// Scores grow with the remaining time on either side of a checkpoint's interval, but not across it.
		if (every !== null && least.rest.p50Ms <= every && most.rest.p50Ms > every) return null;
		const rates = times(now, slack.here, slack.here);
		const hereMicroUsd = scoreAt(here, most, rates);
		const others: { row: OfferRow; rates: OfferRates }[] = [];
		const startMs = snapshot.cloudStartMs.p50Ms;
		const candidates = proven.candidatesOf(this.#shape.offers(), terms);
		for (const row of candidates) {
			if (row === here) continue;
			// No more expensive offer saves more than this.
			if (hereMicroUsd - leastScoreFrom(row, least) < this.#leastCheaper - ROUNDING_MICRO_USD) break;
			const its = times(ratesOn(row, terms), slack.interruptions, slack.refusals);
			const advantage = hereMicroUsd - scoreAt(row, least, its);
			if (
				savingOn(snapshot, this.#shape, row.offer, this.#attempt.spec.nodes, startMs + restoreMsOf(snapshot), advantage) >=
				this.#leastCheaper - ROUNDING_MICRO_USD
			)
				return null;
			others.push({ row, rates: its });
		}
		return { candidates, here: rates, others, data: snapshot.data, startMs };
	}

	/** Cached: the other inputs of a run's score do not change from cycle to cycle. */
	#runsIn(snapshot: Snapshot): Runs {
		const { data } = snapshot;
		const startMs = snapshot.cloudStartMs.p50Ms;
		if (this.#runs?.startMs === startMs && this.#runs.data === data) return this.#runs;
		this.#runs = { least: this.#runOf(snapshot, this.#leastMs), most: this.#runOf(snapshot, this.#mostMs), startMs, data };
		return this.#runs;
	}

	#runOf(snapshot: Snapshot, leftMs: number): CloudRun {
		const { spec, completedMs, checkpointGiB = 0 } = this.#attempt;
		const workMs = leftMs + restoreMsOf(snapshot);
		return cloudRunOf({ job: { spec, completedMs, checkpointGiB }, rest: { p50Ms: workMs, p90Ms: workMs } }, this.#shape.verdict, snapshot);
	}
}

function times({ interruptionsPerHour, refusalDelayMs }: OfferRates, interruptions: number, refusals: number): OfferRates {
	return { interruptionsPerHour: interruptionsPerHour * interruptions, refusalDelayMs: refusalDelayMs * refusals };
}

function isStill(
	stays: Stays,
	here: OfferRates,
	terms: CostTerms,
	candidates: readonly OfferRow[],
	{ data, cloudStartMs }: Snapshot,
): boolean {
	if (stays.candidates !== candidates || stays.data !== data || stays.startMs !== cloudStartMs.p50Ms || !isAtMost(here, stays.here))
		return false;
	for (const { row, rates } of stays.others) if (!isAtMost(rates, ratesOn(row, terms))) return false;
	return true;
}

function isAtMost(a: OfferRates, b: OfferRates): boolean {
	return a.interruptionsPerHour <= b.interruptionsPerHour && a.refusalDelayMs <= b.refusalDelayMs;
}
