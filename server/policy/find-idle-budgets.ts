import type { BudgetPeriod } from "#server/domain/policy.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import type { Finding } from "./find-contradictions.ts";
import type { PlacedBudget } from "./parse-entries.ts";
import { closesClouds } from "./place-lists.ts";

/** Budgets and caps that cover no jobs, that let nothing start, or that another one always reaches first. */
export function findIdleBudgets(finding: Finding, budgets: readonly PlacedBudget[]): void {
	for (const [index, placed] of budgets.entries()) {
		const { reader, logic } = finding;
		const { id, scope } = ruleOf(placed);
		if (logic.never(scope)) {
			const message = `No job can meet this scope: ${id} would never count anything.`;
			reader.report("error", placed.scopeOffset, message, 'Change it; "true" counts all jobs.');
			continue;
		}
		findHomebound(finding, placed);
		if (amountOf(placed) === 0n || amountOf(placed) === 0) {
			const message = `${id} is 0: nothing that it counts can burst.`;
			reader.report("warning", placed.offset, message, "Raise it, or use a rule instead: deny: { sites: [cloud] }.");
			continue;
		}
		const outer = budgets.find((other, at) => at !== index && reachedFirst(finding, other, placed, at < index));
		if (!outer) continue;
		const message = `${id} never binds: ${ruleOf(outer).id} (line ${ruleOf(outer).line}) covers everything that it covers, with a cap of ${shown(outer)}.`;
		reader.report("warning", placed.offset, message, "Lower it below that, or remove it.");
	}
}

function findHomebound({ reader, logic, rules }: Finding, placed: PlacedBudget): void {
	const { id, scope } = ruleOf(placed);
	const closing = rules.find((r) => closesClouds(r.rule.effect) && logic.implies(scope, r.rule.when));
	if (!closing) return;
	const message = `${id} counts jobs that ${closing.rule.id} (line ${closing.rule.line}) keeps out of every cloud: it never counts anything.`;
	reader.report("warning", placed.offset, message, `Remove it, or give ${closing.rule.id} a condition.`);
}

function ruleOf(placed: PlacedBudget): { id: string; scope: string; line: number } {
	return placed.budget ?? placed.cap;
}

function amountOf({ budget, cap }: PlacedBudget): bigint | number {
	if (budget) return budget.capMicroUsd;
	return cap.kind === "burn_rate" ? cap.microUsdPerHour : cap.kind === "egress" ? cap.gib : cap.count;
}

function shown({ budget, cap }: PlacedBudget): string {
	if (budget) return `$${microToUsdText(budget.capMicroUsd)} a ${budget.period}`;
	if (cap.kind === "burn_rate") return `$${microToUsdText(cap.microUsdPerHour)} an hour`;
	return cap.kind === "egress" ? `${cap.gib} GiB a ${cap.period}` : `${cap.count} instances`;
}

/** Whether `outer` counts everything that `inner` does and allows no more in `inner`'s period. */
function reachedFirst({ logic }: Finding, outer: PlacedBudget, inner: PlacedBudget, isEarlier: boolean): boolean {
	if ((outer.cap?.kind ?? "money") !== (inner.cap?.kind ?? "money")) return false;
	const [most, own] = [mostOver(outer, periodOf(inner)), amountOf(inner)];
	if (most > own || !logic.implies(ruleOf(inner).scope, ruleOf(outer).scope)) return false;
	if (most < own) return true;
	// both are reached together: one of them is superfluous if they react the same way, the later one if they count the
	// same
	if (outer.budget?.atCap !== inner.budget?.atCap) return false;
	return isEarlier || periodOf(outer) !== periodOf(inner) || !logic.implies(ruleOf(outer).scope, ruleOf(inner).scope);
}

/** Calendar months nest in quarters, and quarters in years: how many of one make up the other. */
const MONTHS: Readonly<Record<BudgetPeriod, number>> = { month: 1, quarter: 3, year: 12 };

/** The allowance of a cap in one period of another: its amount for each of its periods within it. */
function mostOver(placed: PlacedBudget, period: BudgetPeriod | null): bigint | number {
	const own = periodOf(placed);
	const times = own === null || period === null ? 1 : Math.max(1, MONTHS[period] / MONTHS[own]);
	const amount = amountOf(placed);
	return typeof amount === "bigint" ? amount * BigInt(times) : amount * times;
}

function periodOf({ budget, cap }: PlacedBudget): BudgetPeriod | null {
	if (budget) return budget.period;
	return cap.kind === "egress" ? cap.period : null;
}
