import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { aState, aZone } from "./testing/state.ts";
import type { DeadlineState } from "./types.ts";
import { chooseUniformProgress, type UniformProgressReading } from "./uniform-progress.ts";

const DOWN = [aZone("zone-a", { up: false })];

/** 48 h of work in 72 h: at hour 30, uniform progress expects 20 h to be done. */
function choose(changes: Partial<DeadlineState>, reading: UniformProgressReading = "paper") {
	const job = { startedAtMs: 0, workMs: 48 * HOUR_MS, locked: false };
	return { ...chooseUniformProgress(aState({ nowMs: 30 * HOUR_MS, ...changes }), job, reading), locked: job.locked };
}

describe("Uniform Progress", () => {
	it("idle without spot: on-demand when behind t · C / R, waiting when ahead", () => {
		expect(choose({ zones: DOWN, workLeftMs: 28 * HOUR_MS + 1 })).toMatchObject({ on: "on_demand" });
		expect(choose({ zones: DOWN, workLeftMs: 28 * HOUR_MS })).toMatchObject({ on: "wait" });
	});

	it("idle with spot: spot, even when behind", () => {
		expect(choose({ workLeftMs: 40 * HOUR_MS })).toMatchObject({ on: "spot" });
	});

	it("on on-demand: stays until it is ahead of t + 2d, here by 2 × (4 + 3 + 15/2) min × 48/72 = 19 min 20 s", () => {
		const on = { kind: "on_demand", startingMs: 0 } as const;
		const ahead = (29 * MINUTE_MS * 2) / 3;
		expect(choose({ on, workLeftMs: 28 * HOUR_MS - ahead + 1000 })).toMatchObject({ on: "on_demand" });
		expect(choose({ on, workLeftMs: 28 * HOUR_MS - ahead - 1000 })).toMatchObject({ on: "spot" });
	});

	it("on on-demand, ahead, and no spot: the paper idles, the simulator stays", () => {
		const state = { on: { kind: "on_demand", startingMs: 0 } as const, zones: DOWN, workLeftMs: 20 * HOUR_MS };
		expect(choose(state, "paper")).toMatchObject({ on: "wait" });
		expect(choose(state, "simulator")).toMatchObject({ on: "on_demand" });
	});

	it("on spot: stays, ahead or behind", () => {
		const on = { kind: "spot", zoneId: "zone-a", startingMs: 0 } as const;
		expect(choose({ on, workLeftMs: 41 * HOUR_MS })).toMatchObject({ on: "spot" });
	});

	it("stays on on-demand until the end when a start on spot could miss the deadline", () => {
		expect(choose({ workLeftMs: 42 * HOUR_MS - 20 * MINUTE_MS })).toEqual({ on: "on_demand", locked: true });
	});
});
