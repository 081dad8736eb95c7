import { budgetsChecker } from "./budgets.ts";
import { capsChecker } from "./caps.ts";
import { chargesChecker } from "./charges.ts";
import type { Checker } from "./checker.ts";
import { liveAttemptsChecker } from "./live-attempts.ts";
import { orphansChecker } from "./orphans.ts";
import { reasonsChecker } from "./reasons.ts";
import { slotsChecker } from "./slots.ts";
import { transitionsChecker } from "./transitions.ts";

/** A fresh one of each: checkers remember what they saw. */
export function allCheckers(): Checker[] {
	return [
		transitionsChecker(),
		liveAttemptsChecker(),
		slotsChecker(),
		orphansChecker(),
		budgetsChecker(),
		capsChecker(),
		chargesChecker(),
		reasonsChecker(),
	];
}
