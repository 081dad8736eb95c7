import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { chooseWithDeadline } from "./choose-with-deadline.ts";
import { priorModel } from "./learner.ts";
import { allowsSpot, allowsSpotStart, marginMs } from "./safety.ts";
import { aState } from "./testing/state.ts";
import type { CurrentCapacity, DeadlineState, SpotZone } from "./types.ts";

const M = MINUTE_MS;

describe("the margin", () => {
	it("is the time left minus the work from the last checkpoint and one changeover: 300 − (240 + 7) = 53 min", () => {
		const state = aState({ deadlineMs: 300 * M, workLeftMs: 240 * M, unsavedMs: 10 * M });
		expect(marginMs(state)).toBe(53 * M);
	});

	it("allows spot only when it lasts until the next choice", () => {
		const at = (slackMs: number) => aState({ deadlineMs: 247 * M + slackMs, workLeftMs: 240 * M, nextChoiceWithinMs: 5 * M });
		expect(allowsSpot(at(5 * M))).toBe(true);
		expect(allowsSpot(at(5 * M - 1))).toBe(false);
	});

	it("allows a start on spot only when its first checkpoint can be reached: changeover 7 + interval 15 + next choice 5", () => {
		const at = (marginMinutes: number) => aState({ deadlineMs: (247 + marginMinutes) * M, workLeftMs: 240 * M, nextChoiceWithinMs: 5 * M });
		expect(allowsSpotStart(at(27))).toBe(true);
		expect(allowsSpotStart(at(26))).toBe(false);
	});
});

/** The worst case: each zone goes up and down as drawn, changeovers take their longest, and leaving saves nothing. */
interface Scene {
	workMs: number;
	slackMs: number;
	checkpointEveryMs: number;
	changeoverMs: number;
	nextChoiceWithinMs: number;
	/** Time of the next choice, as a share of the longest interval. */
	pace: readonly number[];
	/** Zone availability, by choice, then by zone. */
	ups: readonly (readonly boolean[])[];
	prices: readonly number[];
	home: readonly boolean[];
}

const scene: fc.Arbitrary<Scene> = fc
	.record({
		workMs: fc.integer({ min: 10, max: 900 }).map((m) => m * M),
		slackMs: fc.integer({ min: 0, max: 600 }).map((m) => m * M),
		checkpointEveryMs: fc.integer({ min: 1, max: 90 }).map((m) => m * M),
		changeoverMs: fc.integer({ min: 1, max: 30 }).map((m) => m * M),
		nextChoiceWithinMs: fc.integer({ min: 1, max: 20 }).map((m) => m * M),
		prices: fc.array(fc.integer({ min: 1, max: 1_200_000 }), { minLength: 1, maxLength: 3 }),
		pace: fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 }),
		home: fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
		ups: fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 60 }),
	})
	.map((drawn) => ({ ...drawn, slackMs: drawn.slackMs + drawn.changeoverMs }));

describe("the guarantee", () => {
	it("holds whatever spot does, if on-demand could meet the deadline at the start", () => {
		fc.assert(
			fc.property(scene, (drawn) => {
				const endedAtMs = play(drawn);
				expect(endedAtMs).not.toBeNull();
				expect(endedAtMs ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(drawn.workMs + drawn.slackMs);
			}),
			{ numRuns: 300 },
		);
	});

	it("is a test that can fail: without the reserve for one changeover the same scene is late", () => {
		const late = play(
			{
				workMs: 60 * M,
				slackMs: 7 * M,
				checkpointEveryMs: 15 * M,
				changeoverMs: 7 * M,
				nextChoiceWithinMs: 5 * M,
				pace: [1],
				ups: [[true], [false]],
				prices: [300_000],
				home: [false],
			},
			(state) => {
				const zone = state.zones[0];
				return zone?.up ? { ...chooseWithDeadline(state), on: "spot", zoneId: zone.id } : { ...chooseWithDeadline(state), on: "on_demand" };
			},
		);
		expect(late ?? Number.POSITIVE_INFINITY).toBeGreaterThan(67 * M);
	});
});

/** When the job finishes, or null if it never does. Spot ends at choices and between them. */
function play(drawn: Scene, choose = chooseWithDeadline): number | null {
	const deadlineMs = drawn.workMs + drawn.slackMs;
	let [nowMs, savedMs, unsavedMs] = [0, 0, 0];
	let on: CurrentCapacity = { kind: "none" };
	for (let step = 0; step < 100_000 && nowMs <= 3 * deadlineMs; step++) {
		const zones = zonesAt(drawn, step);
		if (on.kind === "spot" && !isUp(zones, on.zoneId)) [on, unsavedMs] = [{ kind: "none" }, 0];
		const choice = choose(
			aState({
				nowMs,
				deadlineMs,
				workLeftMs: drawn.workMs - savedMs,
				unsavedMs,
				checkpointEveryMs: drawn.checkpointEveryMs,
				changeoverMs: { onDemand: drawn.changeoverMs, spot: drawn.changeoverMs, home: drawn.changeoverMs },
				nextChoiceWithinMs: drawn.nextChoiceWithinMs,
				on,
				zones,
				home: on.kind === "home" || drawn.home[step % drawn.home.length] ? { microUsdPerHour: 0 } : null,
			}),
		);
		const next = standing(choice, on, drawn.changeoverMs);
		if (next !== on) [on, unsavedMs] = [next, 0];
		const passedMs = Math.max(1, Math.floor(drawn.nextChoiceWithinMs * (drawn.pace[step % drawn.pace.length] ?? 1)));
		if (on.kind !== "none") {
			const workedMs = Math.max(0, passedMs - on.startingMs);
			const leftMs = drawn.workMs - savedMs - unsavedMs;
			if (workedMs >= leftMs) return nowMs + on.startingMs + leftMs;
			on = { ...on, startingMs: Math.max(0, on.startingMs - passedMs) };
			savedMs += Math.floor((unsavedMs + workedMs) / drawn.checkpointEveryMs) * drawn.checkpointEveryMs;
			unsavedMs = (unsavedMs + workedMs) % drawn.checkpointEveryMs;
		}
		nowMs += passedMs;
	}
	return null;
}

function zonesAt(drawn: Scene, step: number): SpotZone[] {
	const ups = drawn.ups[step % drawn.ups.length] ?? [];
	return drawn.prices.map((microUsdPerHour, i) => ({
		id: `zone-${i}`,
		microUsdPerHour,
		up: ups[i] ?? false,
		ageMs: 0,
		model: priorModel(),
	}));
}

function isUp(zones: readonly SpotZone[], id: string): boolean {
	return zones.some((zone) => zone.id === id && zone.up);
}

/** Returns the same object when the job stays where it is. */
function standing(choice: ReturnType<typeof chooseWithDeadline>, on: DeadlineState["on"], startingMs: number): CurrentCapacity {
	if (choice.on === "wait") return on.kind === "none" ? on : { kind: "none" };
	if (choice.on === "spot")
		return on.kind === "spot" && on.zoneId === choice.zoneId ? on : { kind: "spot", zoneId: choice.zoneId, startingMs };
	return on.kind === choice.on ? on : { kind: choice.on, startingMs };
}
