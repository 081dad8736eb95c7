import type { BudgetRow } from "#components/budgets/params.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { narrowed } from "#components/spend/drill.ts";
import type { SpendFilters } from "#components/spend/view.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";

export interface PreparedRow {
	budget: BudgetRow;
	/** "Everyone", "team risk", or the raw condition. */
	name: string;
	/** Number of other budgets that also count all jobs of this one. */
	depth: number;
	bar: CapBarInput;
	/** "$400 over", "$3,100 under", "at the cap"; null without a forecast. */
	against: { text: string; over: boolean } | null;
	label: string;
}

/** As fractions of the cap. */
export interface CapBarInput {
	posted: number;
	held: number;
	forecast: { low: number; middle: number; high: number } | null;
}

/** In policy order, each below its narrowest parent. */
export function prepareRows(budgets: readonly BudgetRow[]): PreparedRow[] {
	const parents = new Map(budgets.map((b, i) => [b.id, parentOf(b, i, budgets)]));
	const depthOf = (id: string): number => {
		const parent = parents.get(id);
		return parent === undefined || parent === null ? 0 : 1 + depthOf(parent);
	};
	const children = (parent: string | null): BudgetRow[] =>
		budgets.filter((b) => (parents.get(b.id) ?? null) === parent).flatMap((b) => [b, ...children(b.id)]);
	return children(null).map((budget) => ({
		budget,
		name: scopeName(budget.scope),
		depth: depthOf(budget.id),
		bar: barOf(budget),
		against: againstCap(budget),
		label: barLabel(budget),
	}));
}

/** Splits a scope into parts that must all hold; an `or` is one part. */
function partsOf(scope: string): string[] {
	const text = scope.trim();
	if (text === "true") return [];
	return text.split("&&").map((part) => part.replace(/\s+/g, " ").trim());
}

/** Finds the parent with the most scope parts. For equal scopes, the earlier budget is the parent. */
function parentOf(budget: BudgetRow, index: number, all: readonly BudgetRow[]): string | null {
	const own = partsOf(budget.scope);
	const holds = all.flatMap((other, i) => {
		const parts = partsOf(other.scope);
		const wider = parts.length < own.length || (parts.length === own.length && i < index);
		return other.id !== budget.id && wider && parts.every((p) => own.includes(p)) ? [{ id: other.id, parts: parts.length, i }] : [];
	});
	// Budgets with equal scopes are siblings.
	const narrower = holds.filter((h) => h.parts < own.length);
	return narrower.toSorted((a, b) => b.parts - a.parts || a.i - b.i)[0]?.id ?? null;
}

export function scopeName(scope: string): string {
	const text = scope.trim();
	if (text === "true") return "everybody";
	const simple = SIMPLE.exec(text);
	return simple ? `${simple[1]} ${simple[2]}` : text;
}

const SIMPLE = /^job\.(team|project|class)\s*==\s*["']([^"'\\]+)["']$/;

/** Charge filters equivalent to the scope; null if it is not only team, project and class. */
export function scopeFilters(scope: string): SpendFilters | null {
	let filters: SpendFilters | null = {};
	for (const part of partsOf(scope)) {
		const [, name = "", value = ""] = SIMPLE.exec(part) ?? [];
		if (name === "" || (name === "class" && !WORKLOAD_CLASSES.some((c) => c === value))) return null;
		filters = filters && narrowed(filters, { [name]: [value] });
	}
	return filters;
}

const share = (part: bigint, cap: bigint) => (cap > 0n ? Number(part) / Number(cap) : part > 0n ? 1 : 0);

export function barOf({ capMicroUsd: cap, postedMicroUsd, heldMicroUsd, forecast }: BudgetRow): CapBarInput {
	return {
		posted: share(postedMicroUsd, cap),
		held: share(heldMicroUsd, cap),
		forecast: forecast && {
			low: share(forecast.lowMicroUsd, cap),
			middle: share(forecast.expectedMicroUsd, cap),
			high: share(forecast.highMicroUsd, cap),
		},
	};
}

export function againstCap({ capMicroUsd, forecast }: Pick<BudgetRow, "capMicroUsd" | "forecast">): PreparedRow["against"] {
	if (!forecast) return null;
	const room = capMicroUsd - forecast.expectedMicroUsd;
	if (room === 0n) return { text: "at the cap", over: false };
	return { text: `${formatMoney(room < 0n ? -room : room, "whole")} ${room < 0n ? "over" : "under"}`, over: room < 0n };
}

function barLabel(b: BudgetRow): string {
	const { forecast: f } = b;
	const ahead = f
		? `, forecast ${formatMoney(f.expectedMicroUsd, "whole")}, range ${formatMoney(f.lowMicroUsd, "whole")} to ${formatMoney(f.highMicroUsd, "whole")}`
		: "";
	return `${b.id}: ${formatMoney(b.postedMicroUsd, "posted")} posted and ${formatMoney(b.heldMicroUsd, "posted")} held of ${formatMoney(b.capMicroUsd, "whole")}${ahead}`;
}
