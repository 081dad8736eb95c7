import { budgets } from "./budgets.ts";
import { caps } from "./caps.ts";
import { charges } from "./charges.ts";
import { liveAttempts } from "./live-attempts.ts";
import type { Observed } from "./observed.ts";
import { orphans } from "./orphans.ts";
import { prewarm } from "./prewarm.ts";
import type { Promised } from "./promise.ts";
import { reasons } from "./reasons.ts";
import { slots } from "./slots.ts";
import { transitions } from "./transitions.ts";

/** A new instance of each, since they keep state. The run itself checks the tenth promise, that everything settles. */
export function allPromises(): Promised[] {
	return [transitions(), liveAttempts(), slots(), orphans(), budgets(), caps(), charges(), prewarm(), reasons()];
}

/** Every broken promise, `name: what is broken`. */
export function brokenAfter(promises: readonly Promised[], seen: Observed, when: "after" | "atEnd" = "after"): string[] {
	return promises.flatMap((promise) => {
		const broken = promise[when](seen);
		return broken === null ? [] : [`${promise.name}: ${broken}`];
	});
}
