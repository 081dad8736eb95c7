import type { MoveKind } from "#server/domain/policy.ts";
import type { JobVerdict } from "#server/policy/types.ts";

/** The first rule that allows such a move at such a saving (µ$, plain number), or null. A saving of nothing moves nothing. */
export function movingRule(moves: JobVerdict["moves"], to: MoveKind, savingMicroUsd: number): JobVerdict["moves"][number] | null {
	if (savingMicroUsd <= 0) return null;
	return moves.find((rule) => rule.to.includes(to) && savingMicroUsd >= Number(rule.savingMicroUsd)) ?? null;
}
