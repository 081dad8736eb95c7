import { periodOf } from "#server/accounting/calendar.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { assert, defined } from "#server/kernel/assert.ts";
import type { BudgetView } from "#server/scheduling/types.ts";
import type { Book } from "./book.ts";

export interface PeriodBalance {
	budgetId: string;
	periodKey: string;
	postedMicroUsd: bigint;
	heldMicroUsd: bigint;
}

/** The shortfall of a hold in the budget with the largest one. */
export interface HoldRefusal {
	budgetId: string;
	missingMicroUsd: bigint;
	freeMicroUsd: bigint;
	capMicroUsd: bigint;
}

/** Holds and budget periods by the rules of services/budget: place, post, settle. */
export class BudgetLedger {
	readonly periods = new Map<string, PeriodBalance>();
	readonly #book: Book;
	readonly #rules: ReadonlyMap<string, BudgetRule>;

	constructor(book: Book, rules: readonly BudgetRule[]) {
		this.#book = book;
		this.#rules = new Map(rules.map((r) => [r.id, r]));
	}

	/** Reserves the worst case of one instance in all these budgets, or returns the shortfall and changes nothing. */
	place(instanceId: string, amountMicroUsd: bigint, budgets: readonly BudgetRule[], nowMs: number): HoldRefusal | null {
		assert(amountMicroUsd > 0n, `the hold of ${instanceId} must be above 0`);
		let worst: HoldRefusal | null = null;
		for (const rule of budgets) {
			const { posted, held } = this.#balance(rule, nowMs);
			const freeMicroUsd = rule.capMicroUsd - posted - held;
			const missingMicroUsd = amountMicroUsd - freeMicroUsd;
			if (missingMicroUsd <= 0n || (worst !== null && missingMicroUsd <= worst.missingMicroUsd)) continue;
			worst = { budgetId: rule.id, missingMicroUsd, freeMicroUsd, capMicroUsd: rule.capMicroUsd };
		}
		if (worst) return worst;
		const keys = budgets.map((rule) => ({ budgetId: rule.id, periodKey: periodOf(rule.period, nowMs).key }));
		this.#book.holds.set(instanceId, {
			instanceId,
			amountMicroUsd,
			postedMicroUsd: 0n,
			state: "pending",
			budgets: keys,
			createdAtMs: nowMs,
			closedAtMs: null,
		});
		for (const key of keys) this.#period(key).heldMicroUsd += amountMicroUsd;
		return null;
	}

	/** Moves the charged amount from held to posted; `settled` releases the rest and closes the hold. */
	post(instanceId: string, charges: readonly { atMs: number; microUsd: bigint }[], settled: boolean, nowMs: number): void {
		const hold = defined(this.#book.holds.get(instanceId), `hold of ${instanceId}`);
		if (hold.state !== "pending") return;
		const before = left(hold.amountMicroUsd, hold.postedMicroUsd);
		hold.postedMicroUsd += charges.reduce((sum, c) => sum + c.microUsd, 0n);
		const after = settled ? 0n : left(hold.amountMicroUsd, hold.postedMicroUsd);
		for (const key of hold.budgets) {
			this.#period(key).heldMicroUsd += after - before;
			const period = this.#rules.get(key.budgetId)?.period ?? "month";
			for (const charge of charges) {
				this.#period({ budgetId: key.budgetId, periodKey: periodOf(period, charge.atMs).key }).postedMicroUsd += charge.microUsd;
			}
		}
		if (!settled) return;
		hold.state = hold.postedMicroUsd > 0n ? "posted" : "voided";
		hold.closedAtMs = nowMs;
	}

	/** Input of the core: posted in the current period, held over all periods. */
	views(nowMs: number): BudgetView[] {
		return [...this.#rules.values()].map((rule) => {
			const { posted, held } = this.#balance(rule, nowMs);
			return { id: rule.id, scope: rule.scope, capMicroUsd: rule.capMicroUsd, postedMicroUsd: posted, heldMicroUsd: held };
		});
	}

	#balance(rule: BudgetRule, nowMs: number): { posted: bigint; held: bigint } {
		const { key } = periodOf(rule.period, nowMs);
		let held = 0n;
		for (const balance of this.periods.values()) if (balance.budgetId === rule.id) held += balance.heldMicroUsd;
		return { posted: this.periods.get(`${rule.id}/${key}`)?.postedMicroUsd ?? 0n, held };
	}

	#period(key: { budgetId: string; periodKey: string }): PeriodBalance {
		const id = `${key.budgetId}/${key.periodKey}`;
		const known = this.periods.get(id);
		if (known) return known;
		const fresh = { ...key, postedMicroUsd: 0n, heldMicroUsd: 0n };
		this.periods.set(id, fresh);
		return fresh;
	}
}

function left(amount: bigint, posted: bigint): bigint {
	return posted < amount ? amount - posted : 0n;
}
