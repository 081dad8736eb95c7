import type { BudgetPeriod, BudgetRule, Policy } from "#server/domain/policy.ts";
import type { BudgetView } from "#server/scheduling/types.ts";
import { monthOf } from "../billing.ts";
import type { Run } from "../run.ts";

const MONTHS: Record<BudgetPeriod, number> = { month: 1, quarter: 3, year: 12 };

/** A policy's budgets as a live ledger would hold them: the worst case of each launch, then its actual cost, by period. */
export class MoneyHeld {
	readonly #policy: Policy;
	readonly #held = new Map<string, bigint>();
	readonly #posted = new Map<string, bigint>();
	readonly #holds = new Map<Run, { budgetIds: readonly string[]; microUsd: bigint }>();
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

	hold(run: Run, budgetIds: readonly string[], microUsd: bigint): void {
		this.#holds.set(run, { budgetIds, microUsd });
		for (const id of budgetIds) this.#held.set(id, (this.#held.get(id) ?? 0n) + microUsd);
		this.#changed = true;
	}

	/** Releases the hold of a finished attempt and charges its cost to the months in which it ran. */
	settle(run: Run, costByMonth: readonly (readonly [month: number, microUsd: bigint])[]): void {
		const hold = this.#holds.get(run);
		if (!hold) return;
		this.#holds.delete(run);
		for (const id of hold.budgetIds) {
			this.#held.set(id, (this.#held.get(id) ?? 0n) - hold.microUsd);
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
