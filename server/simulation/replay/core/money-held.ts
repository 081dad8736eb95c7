import type { BudgetPeriod, BudgetRule, Policy } from "#server/domain/policy.ts";
import type { BudgetView, Reservation } from "#server/scheduling/types.ts";
import { monthOf } from "../billing.ts";
import type { Run } from "../run.ts";

const MONTHS: Record<BudgetPeriod, number> = { month: 1, quarter: 3, year: 12 };

/** A policy's budgets as a live ledger would hold them: the worst case of each launch, then its actual cost, by period. */
export class MoneyHeld {
	readonly #policy: Policy;
	readonly #held = new Map<string, bigint>();
	readonly #posted = new Map<string, bigint>();
	readonly #holds = new Map<Run, { budgetIds: readonly string[]; microUsd: bigint }>();
	/** What pipelines reserved and have left, by budget. It is part of #held. */
	readonly #reserved = new Map<string, Map<string, bigint>>();
	/** Increases with every change of a reservation. */
	reservationVersion = 0;
	#views: BudgetView[] = [];
	#viewsOfMonth = Number.NaN;
	#changed = true;

	/** @param before spending on a budget before the replay starts, by calendar month. */
	constructor(policy: Policy, before: (budget: BudgetRule) => readonly (readonly [month: number, microUsd: bigint])[] = () => []) {
		this.#policy = policy;
		for (const budget of policy.budgets) for (const [month, microUsd] of before(budget)) this.#post(budget.id, month, microUsd);
	}

	/** Charges to a budget in each of its periods, by the first month of the period. */
	posted({ id, period }: BudgetRule): Map<number, bigint> {
		const sums = new Map<number, bigint>();
		for (const [key, microUsd] of this.#posted) {
			const [budgetId, month] = key.split("\n");
			if (budgetId !== id) continue;
			const first = Math.floor(Number(month) / MONTHS[period]) * MONTHS[period];
			sums.set(first, (sums.get(first) ?? 0n) + microUsd);
		}
		return sums;
	}

	#post(budgetId: string, month: number, microUsd: bigint): void {
		const key = `${budgetId}\n${month}`;
		this.#posted.set(key, (this.#posted.get(key) ?? 0n) + microUsd);
	}

	/** Holds the worst case of a pipeline, or nothing. Returns the first budget with too little left; null if all have enough. */
	reserve(pipelineId: string, needs: readonly { rule: BudgetRule; microUsd: bigint }[], nowMs: number): string | null {
		const views = new Map(this.views(nowMs).map((view) => [view.id, view]));
		const short = needs.find(({ rule, microUsd }) => {
			const view = views.get(rule.id);
			return microUsd > rule.capMicroUsd - (view?.postedMicroUsd ?? 0n) - (view?.heldMicroUsd ?? 0n);
		});
		if (short) return short.rule.id;
		this.#reserved.set(pipelineId, new Map());
		for (const { rule, microUsd } of needs) this.#addReserved(pipelineId, rule.id, microUsd);
		return null;
	}

	/** Releases what a pipeline holds above this amount in each budget. */
	shrink(pipelineId: string, neededMicroUsd: bigint): void {
		for (const [budgetId, left] of this.#reserved.get(pipelineId) ?? [])
			if (left > neededMicroUsd) this.#addReserved(pipelineId, budgetId, neededMicroUsd - left);
		if (neededMicroUsd === 0n) this.#reserved.delete(pipelineId);
	}

	/** What a pipeline has left. Absent: nothing. */
	reservationOf(pipelineId: string): Reservation | null {
		const left = [...(this.#reserved.get(pipelineId) ?? [])].filter(([, microUsd]) => microUsd > 0n);
		return left.length === 0 ? null : { pipelineId, leftMicroUsd: Object.fromEntries(left) };
	}

	#addReserved(pipelineId: string, budgetId: string, microUsd: bigint): void {
		const own = this.#reserved.get(pipelineId);
		own?.set(budgetId, (own.get(budgetId) ?? 0n) + microUsd);
		this.#held.set(budgetId, (this.#held.get(budgetId) ?? 0n) + microUsd);
		this.reservationVersion++;
		this.#changed = true;
	}

	/** Holds the worst case of a launch. What its pipeline reserved is used first. */
	hold(run: Run, budgetIds: readonly string[], microUsd: bigint): void {
		this.#holds.set(run, { budgetIds, microUsd });
		const { pipelineId } = run.job;
		for (const id of budgetIds) {
			this.#held.set(id, (this.#held.get(id) ?? 0n) + microUsd);
			const left = pipelineId === null ? undefined : this.#reserved.get(pipelineId)?.get(id);
			if (pipelineId !== null && left !== undefined) this.#addReserved(pipelineId, id, left < microUsd ? -left : -microUsd);
		}
		this.#changed = true;
	}

	/**
	 * Releases the hold of a finished attempt and charges its cost to the months in which it ran. The unused rest returns to its pipeline's
	 * reservation.
	 */
	settle(run: Run, costByMonth: readonly (readonly [month: number, microUsd: bigint])[]): void {
		const hold = this.#holds.get(run);
		if (!hold) return;
		this.#holds.delete(run);
		const unused = hold.microUsd - costByMonth.reduce((sum, [, microUsd]) => sum + microUsd, 0n);
		const { pipelineId } = run.job;
		for (const id of hold.budgetIds) {
			this.#held.set(id, (this.#held.get(id) ?? 0n) - hold.microUsd);
			if (pipelineId !== null && unused > 0n && this.#reserved.get(pipelineId)?.has(id)) this.#addReserved(pipelineId, id, unused);
			for (const [month, microUsd] of costByMonth) this.#post(id, month, microUsd);
		}
		this.#changed = true;
	}

	/** Returns the same list while nothing changed. */
	views(nowMs: number): BudgetView[] {
		const month = monthOf(nowMs);
		if (!this.#changed && month === this.#viewsOfMonth) return this.#views;
		this.#changed = false;
		this.#viewsOfMonth = month;
		this.#views = this.#policy.budgets.map(({ id, scope, capMicroUsd, period }) => {
			const first = Math.floor(month / MONTHS[period]) * MONTHS[period];
			let postedMicroUsd = 0n;
			for (let m = first; m < first + MONTHS[period]; m++) postedMicroUsd += this.#posted.get(`${id}\n${m}`) ?? 0n;
			return { id, scope, capMicroUsd, postedMicroUsd, heldMicroUsd: this.#held.get(id) ?? 0n };
		});
		return this.#views;
	}
}
