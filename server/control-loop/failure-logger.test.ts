import { expect, it } from "vitest";
import { ManualClock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { failureLogger } from "./failure-logger.ts";

it("logs a new failure immediately, and the same one once a minute with the count in between", () => {
	const clock = new ManualClock(0);
	const lines: unknown[] = [];
	const fail = failureLogger({ clock, log: (level, message, facts) => void lines.push([level, message, facts]) }, "a cycle");
	const noPolicy = new SpillwayError("unavailable", "No policy is published yet.");
	for (let second = 0; second < 61; second++) {
		fail(noPolicy);
		clock.advance(1_000);
	}
	fail(new Error("no route to host"));
	expect(lines).toEqual([
		["warn", "a cycle failed; retrying", { error: "No policy is published yet." }],
		["warn", "a cycle failed; retrying", { error: "No policy is published yet.", failuresSince: 59 }],
		["error", "a cycle failed; retrying", { error: "no route to host" }],
	]);
});
