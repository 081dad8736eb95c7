import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { chooseWithDeadline } from "./choose-with-deadline.ts";
import { AGES } from "./constants.ts";
import { aState, aZone } from "./testing/state.ts";
import type { ZoneModel } from "./types.ts";

const M = MINUTE_MS;
const rates = (perHour: number): number[] => Array.from({ length: AGES }, () => perHour);
/** Up for days, down for minutes. */
const STEADY: ZoneModel = { upEndsPerHour: rates(0.02), downEndsPerHour: rates(4) };
/** Up for a quarter of an hour, down for half a day. */
const RARE: ZoneModel = { upEndsPerHour: rates(4), downEndsPerHour: rates(0.08) };

describe("a job with a deadline", () => {
	it("starts on spot that is up when there is slack", () => {
		expect(chooseWithDeadline(aState())).toMatchObject({ on: "spot", zoneId: "zone-a", why: "spot_is_cheapest" });
	});

	it("goes to firm capacity when the slack is less than a changeover and the next choice", () => {
		const state = aState({ deadlineMs: 48 * HOUR_MS + 11 * M });
		expect(chooseWithDeadline(state)).toEqual({ on: "on_demand", why: "deadline_needs_firm", marginMs: 4 * M, reviewByMs: null });
	});

	it("reports by how much the deadline cannot be guaranteed", () => {
		expect(chooseWithDeadline(aState({ deadlineMs: 40 * HOUR_MS }))).toMatchObject({ on: "on_demand", marginMs: -8 * HOUR_MS - 7 * M });
	});

	it("returns how long its choice is valid", () => {
		const choice = chooseWithDeadline(aState({ nowMs: HOUR_MS }));
		expect(choice.reviewByMs).toBe(HOUR_MS + choice.marginMs);
	});

	it("stays on spot while it is up, however short-lived, and leaves it only for safety", () => {
		const on = { kind: "spot", zoneId: "zone-a", startingMs: 0 } as const;
		const zones = [aZone("zone-a", { model: RARE })];
		expect(chooseWithDeadline(aState({ on, zones }))).toMatchObject({ on: "spot" });
		expect(chooseWithDeadline(aState({ on, zones, deadlineMs: 48 * HOUR_MS + 8 * M }))).toMatchObject({ on: "on_demand" });
	});

	it("waits for spot that returns within minutes, and works on on-demand when spot stays away for half a day", () => {
		const away = (model: ZoneModel) =>
			chooseWithDeadline(aState({ deadlineMs: 51 * HOUR_MS, zones: [aZone("zone-a", { up: false, model })] }));
		expect(away(STEADY)).toMatchObject({ on: "wait", why: "spot_is_worth_the_wait" });
		expect(away(RARE)).toMatchObject({ on: "on_demand", why: "firm_saves_slack" });
	});

	it("does not leave on-demand for spot that would be reclaimed before the changeover pays off", () => {
		const on = { kind: "on_demand", startingMs: 0 } as const;
		expect(chooseWithDeadline(aState({ on, zones: [aZone("zone-a", { model: RARE })] }))).toMatchObject({ on: "on_demand" });
		expect(chooseWithDeadline(aState({ on, zones: [aZone("zone-a", { model: STEADY })] }))).toMatchObject({ on: "spot" });
	});

	it("lets a boot finish", () => {
		const on = { kind: "on_demand", startingMs: 3 * M } as const;
		expect(chooseWithDeadline(aState({ on, zones: [aZone("zone-a", { model: STEADY })] }))).toMatchObject({ on: "on_demand" });
	});
});

describe("several zones", () => {
	it("chooses the one that lasts, not the one with the lower id", () => {
		const zones = [aZone("zone-a", { model: RARE }), aZone("zone-b", { model: STEADY })];
		expect(chooseWithDeadline(aState({ zones }))).toMatchObject({ on: "spot", zoneId: "zone-b" });
	});

	it("chooses the cheaper of two similar ones", () => {
		const zones = [aZone("zone-a", { microUsdPerHour: 310_000 }), aZone("zone-b")];
		expect(chooseWithDeadline(aState({ zones }))).toMatchObject({ zoneId: "zone-b" });
	});

	it("moves on immediately when its zone is reclaimed and another is up", () => {
		const on = { kind: "spot", zoneId: "zone-a", startingMs: 0 } as const;
		const zones = [aZone("zone-a", { up: false }), aZone("zone-b", { ageMs: 5 * HOUR_MS })];
		expect(chooseWithDeadline(aState({ on, zones }))).toMatchObject({ on: "spot", zoneId: "zone-b" });
	});

	it("chooses the same whatever the order of the zones and the earlier calls", () => {
		const zone = fc.record({ up: fc.boolean(), ageMs: fc.integer({ min: 0, max: 40 * HOUR_MS }), model: fc.constantFrom(STEADY, RARE) });
		fc.assert(
			fc.property(fc.array(zone, { minLength: 1, maxLength: 4 }), fc.integer({ min: 0, max: 30 }), (drawn, slackHours) => {
				const zones = drawn.map((changes, i) => aZone(`zone-${i}`, changes));
				const state = aState({ zones, deadlineMs: (48 + slackHours) * HOUR_MS });
				expect(chooseWithDeadline({ ...state, zones: zones.toReversed() })).toEqual(chooseWithDeadline(state));
			}),
			{ numRuns: 60 },
		);
	});
});

describe("firm capacity", () => {
	it("is used immediately when spot costs no less", () => {
		expect(chooseWithDeadline(aState({ zones: [aZone("zone-a", { microUsdPerHour: 1_000_000 })] }))).toMatchObject({
			on: "on_demand",
			why: "firm_is_cheapest",
		});
	});

	it("is home when home has room and costs less than spot", () => {
		expect(chooseWithDeadline(aState({ home: { microUsdPerHour: 0 } }))).toMatchObject({ on: "home", why: "firm_is_cheapest" });
	});

	it("is also home for safety, when home is cheaper than on-demand", () => {
		const state = aState({ home: { microUsdPerHour: 500_000 }, deadlineMs: 48 * HOUR_MS + 10 * M });
		expect(chooseWithDeadline(state)).toMatchObject({ on: "home", why: "deadline_needs_firm" });
	});

	it("stays on on-demand when moving home would miss the deadline", () => {
		const state = aState({
			on: { kind: "on_demand", startingMs: 0 },
			unsavedMs: 10 * M,
			deadlineMs: 48 * HOUR_MS,
			home: { microUsdPerHour: 0 },
		});
		expect(chooseWithDeadline(state)).toMatchObject({ on: "on_demand" });
	});

	it("is missing: spot, or waiting for it, is the only option, and nothing is guaranteed", () => {
		const none = { onDemandMicroUsdPerHour: null, home: null };
		expect(chooseWithDeadline(aState(none))).toMatchObject({ on: "spot", why: "no_firm_capacity" });
		expect(chooseWithDeadline(aState({ ...none, zones: [] }))).toMatchObject({ on: "wait", why: "no_firm_capacity" });
	});

	it("never uses a spot price of 0: such an offer is an error, not a bargain", () => {
		expect(chooseWithDeadline(aState({ zones: [aZone("zone-a", { microUsdPerHour: 0 })] }))).toMatchObject({ on: "on_demand" });
	});
});

describe("zones of different prices", () => {
	const away = aZone("cheap", { microUsdPerHour: 200_000, up: false, model: STEADY });
	const dear = aZone("dear", { microUsdPerHour: 850_000, ageMs: 6 * HOUR_MS, model: STEADY });
	const on = { kind: "spot", zoneId: "dear", startingMs: 0 } as const;

	it("waits for a cheap zone that returns soon instead of starting on an expensive one", () => {
		expect(chooseWithDeadline(aState({ zones: [away, dear] }))).toMatchObject({ on: "wait", why: "spot_is_worth_the_wait" });
		const rarely = aState({ deadlineMs: 51 * HOUR_MS, zones: [{ ...away, model: RARE }, dear] });
		expect(chooseWithDeadline(rarely)).toMatchObject({ on: "spot", zoneId: "dear" });
	});

	it("starts on the expensive one when the slack does not allow the wait", () => {
		const deadlineMs = 48 * HOUR_MS + 40 * M;
		expect(chooseWithDeadline(aState({ deadlineMs, zones: [away, dear] }))).toMatchObject({ on: "spot", zoneId: "dear" });
	});

	it("does not wait for a zone that is hardly cheaper", () => {
		const near = { ...dear, microUsdPerHour: 202_000 };
		expect(chooseWithDeadline(aState({ zones: [away, near] }))).toMatchObject({ on: "spot", zoneId: "dear" });
	});

	it("moves from the expensive zone to the cheap one once that is up, and not for the last minutes of its work", () => {
		const zones = [{ ...away, up: true }, dear];
		expect(chooseWithDeadline(aState({ on, zones }))).toMatchObject({ on: "spot", zoneId: "cheap" });
		expect(chooseWithDeadline(aState({ on, zones, workLeftMs: M }))).toMatchObject({ on: "spot", zoneId: "dear" });
	});
});
