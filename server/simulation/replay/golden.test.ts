import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { SPILLWAY } from "./replay.ts";
import { eventsOf } from "./testing/events.ts";
import { anAvailability, aReplayOffer, aReplayPolicy, aReplayPool, aScenario, aTraceJob } from "./testing/small.ts";

/** Ten jobs on one 8-GPU node, spot that is reclaimed after 3 hours, and on-demand. */
const JOBS = [
	aTraceJob("a", { gpus: 4, durationMs: 5 * HOUR_MS }),
	aTraceJob("b", { gpus: 4, submitMs: 10 * MINUTE_MS, durationMs: 90 * MINUTE_MS }),
	aTraceJob("c", { gpus: 8, submitMs: 20 * MINUTE_MS, durationMs: 6 * HOUR_MS, team: "risk" }),
	aTraceJob("d", { gpus: 1, submitMs: 30 * MINUTE_MS, durationMs: 45 * SECOND_MS }),
	aTraceJob("e", { gpus: 2, submitMs: 60 * MINUTE_MS, durationMs: 2 * HOUR_MS }),
	aTraceJob("f", { gpus: 16, submitMs: 90 * MINUTE_MS, durationMs: 70 * MINUTE_MS, team: "risk" }),
	aTraceJob("g", { gpus: 1, submitMs: 3 * HOUR_MS, durationMs: 30 * MINUTE_MS }),
	aTraceJob("h", { gpus: 1, submitMs: 3 * HOUR_MS, durationMs: 3 * HOUR_MS, team: "risk" }),
	aTraceJob("i", { gpus: 4, submitMs: 4 * HOUR_MS, durationMs: HOUR_MS }),
	aTraceJob("j", { gpus: 8, submitMs: 5 * HOUR_MS, durationMs: 20 * MINUTE_MS }),
];
const SCENARIO = aScenario({
	pools: [aReplayPool()],
	offers: [aReplayOffer("spot", { usd: "3.6", type: "spot" }), aReplayOffer("od", { usd: "29.3" })],
	availability: new Map([["spot", anAvailability(3, 0.5, 20)]]),
});
const POLICY = aReplayPolicy(`
    - { id: when-full, burst: { always: true } }
    - { id: go-home, move: { to: [home] } }
    - { id: lifetime, limit: { instanceHours: 72 } }`);

describe("ten jobs, as they happen", () => {
	it.each([
		{ name: "owned_fifo", policy: null },
		{ name: "owned_backfill", policy: null },
		{ name: "overflow_on_demand", policy: null },
		{ name: "eager_spot", policy: null },
		{ name: SPILLWAY, policy: POLICY },
	])("$name", async (choice) => {
		await expect(eventsOf(JOBS, SCENARIO, choice)).toMatchFileSnapshot(`./golden/ten-jobs.${choice.name}.trace`);
	});
});
