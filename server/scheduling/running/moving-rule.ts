import type { MoveKind } from "#server/domain/policy.ts";
import type { JobVerdict } from "#server/policy/types.ts";

/** The smallest savings for which any rule allows a move, µ$; infinite if no rule does. Below it movingRule returns null. */
export function leastSaving(moves: JobVerdict["moves"], to: MoveKind): number {
	if (moves.length === 0) return Number.POSITIVE_INFINITY;
	let known = leastOf.get(moves);
	if (!known) {
		known = { home: leastFor(moves, "home"), cheaper: leastFor(moves, "cheaper") };
		leastOf.set(moves, known);
	}
	return known[to];
}

const leastOf = new WeakMap<JobVerdict["moves"], Record<MoveKind, number>>();

function leastFor(moves: JobVerdict["moves"], to: MoveKind): number {
	const asked = moves.flatMap((rule) => (rule.to.includes(to) ? [Number(rule.savingMicroUsd)] : []));
	// A move must save something: the smallest number above 0.
	return Math.max(Number.MIN_VALUE, Math.min(Number.POSITIVE_INFINITY, ...asked));
}

/** The first rule that allows such a move at these savings (µ$, plain number), or null. Without savings no move is made. */
export function movingRule(moves: JobVerdict["moves"], to: MoveKind, savingMicroUsd: number): JobVerdict["moves"][number] | null {
	if (savingMicroUsd <= 0) return null;
	return moves.find((rule) => rule.to.includes(to) && savingMicroUsd >= Number(rule.savingMicroUsd)) ?? null;
}
