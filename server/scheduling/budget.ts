import type { BudgetRule } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { type CapBook, NO_CAPS } from "./caps.ts";
import { openScarce, type ScarceBook } from "./scarce.ts";
import type { BudgetView, Reservation } from "./types.ts";

/** The rest of each budget while a plan is built. */
export interface BudgetBook {
	/** The budget with the largest shortfall for this hold, or null if all have room. What the job's pipeline reserved is used first. */
	shortOf(budgets: readonly BudgetRule[], holdMicroUsd: bigint, reservation?: Reservation): BudgetShort | null;
	take(budgets: readonly BudgetRule[], holdMicroUsd: bigint, reservation?: Reservation): void;
	/** Remaining amounts other than money. */
	readonly caps: CapBook;
	readonly scarce: ScarceBook;
	/** Machines kept warm that earlier actions of this plan take. */
	readonly warmTaken: Set<string>;
}

export interface BudgetShort {
	budgetId: string;
	missingMicroUsd: bigint;
	freeMicroUsd: bigint;
	capMicroUsd: bigint;
}

/**
 * free = cap − posted − held − earlier actions of this plan. A budget without a row in this period has spent nothing yet. If
 * there is a row, its cap applies, because the admitting transaction checks it.
 */
export function openBudgets(views: readonly BudgetView[], caps: CapBook = NO_CAPS): BudgetBook {
	// Built on first use: in most cycles of a replay no job leaves home.
	let byId: ReadonlyMap<string, BudgetView> | null = null;
	const taken = new Map<string, bigint>();
	const freeOf = (rule: BudgetRule): { free: bigint; cap: bigint } => {
		byId ??= new Map(views.map((view) => [view.id, view]));
		const view = byId.get(rule.id);
		const cap = view?.capMicroUsd ?? rule.capMicroUsd;
		return { cap, free: cap - (view?.postedMicroUsd ?? 0n) - (view?.heldMicroUsd ?? 0n) - (taken.get(rule.id) ?? 0n) };
	};
	const used = new Map<string, bigint>();
	const keyOf = (rule: BudgetRule, { pipelineId }: Reservation): string => `${pipelineId}\n${rule.id}`;
	const reservedFor = (rule: BudgetRule, holdMicroUsd: bigint, reservation: Reservation | undefined): bigint => {
		if (!reservation) return 0n;
		const left = (reservation.leftMicroUsd[rule.id] ?? 0n) - (used.get(keyOf(rule, reservation)) ?? 0n);
		return left < 0n ? 0n : left < holdMicroUsd ? left : holdMicroUsd;
	};
	return {
		caps,
		scarce: openScarce(),
		warmTaken: new Set(),
		shortOf(budgets, holdMicroUsd, reservation) {
			let worst: BudgetShort | null = null;
			for (const rule of budgets) {
				const { free, cap } = freeOf(rule);
				const missing = holdMicroUsd - reservedFor(rule, holdMicroUsd, reservation) - free;
				if (missing <= 0n || (worst !== null && missing <= worst.missingMicroUsd)) continue;
				worst = { budgetId: rule.id, missingMicroUsd: missing, freeMicroUsd: free, capMicroUsd: cap };
			}
			return worst;
		},
		take(budgets, holdMicroUsd, reservation) {
			for (const rule of budgets) {
				const reserved = reservedFor(rule, holdMicroUsd, reservation);
				taken.set(rule.id, (taken.get(rule.id) ?? 0n) + holdMicroUsd - reserved);
				if (reservation && reserved > 0n) used.set(keyOf(rule, reservation), (used.get(keyOf(rule, reservation)) ?? 0n) + reserved);
			}
		},
	};
}

export function budgetFacts(short: BudgetShort): Reason["facts"] {
	return {
		budgetId: short.budgetId,
		missingMicroUsd: String(short.missingMicroUsd),
		freeMicroUsd: String(short.freeMicroUsd),
		capMicroUsd: String(short.capMicroUsd),
	};
}
