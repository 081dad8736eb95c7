import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { priorModel } from "./learner.ts";
import { presenceAfter } from "./presence.ts";
import type { ZoneModel } from "./types.ts";

describe("the presence of spot since it was last observed", () => {
	it("depends on the model, the state and the time only, not on earlier calls", () => {
		const times = [90 * MINUTE_MS, 7 * MINUTE_MS, 30 * HOUR_MS, 40 * MINUTE_MS, 0, 23 * MINUTE_MS];
		for (const up of [true, false]) {
			const model = copyOf(priorModel());
			const together = times.map((sinceMs) => presenceAfter(model, up, HOUR_MS, sinceMs));
			expect(together).toEqual(times.map((sinceMs) => presenceAfter(copyOf(model), up, HOUR_MS, sinceMs)));
		}
	});

	it("is certain at the observation, and less so with time", () => {
		const model = copyOf(priorModel());
		expect(presenceAfter(model, true, HOUR_MS, 0)).toEqual({ chance: 1, upMs: 0 });
		expect(presenceAfter(model, false, HOUR_MS, 0)).toEqual({ chance: 0, upMs: 0 });
		const [soon, later] = [5 * MINUTE_MS, 3 * HOUR_MS].map((sinceMs) => presenceAfter(model, true, HOUR_MS, sinceMs).chance);
		expect(soon).toBeGreaterThan(later ?? 1);
	});
});

/** A model that no earlier call has seen. */
function copyOf(model: ZoneModel): ZoneModel {
	return { ...model };
}
