import { describe, expect, it } from "vitest";
import { type Exit, outcomeOf } from "./outcome.ts";
import { reason } from "./reasons.ts";

const ended: Exit = { code: null, signal: null, error: null };

describe("outcomeOf", () => {
	it.each<[string, Exit | null, string, string]>([
		["code 0", { ...ended, code: 0 }, "succeeded", "completed"],
		["another code", { ...ended, code: 3 }, "failed", "exit_nonzero"],
		["a signal", { ...ended, signal: "SIGKILL" }, "failed", "killed_by_signal"],
		["a signal for want of memory", { ...ended, signal: "SIGKILL", outOfMemory: true }, "failed", "out_of_memory"],
		["data that cannot be had", { ...ended, error: "no bucket", failedAt: "staging" }, "failed", "staging_failed"],
		["an image that cannot be had", { ...ended, error: "denied", failedAt: "image" }, "failed", "image_pull_failed"],
		["a program that is not there", { ...ended, error: "not found", failedAt: "start" }, "failed", "command_not_started"],
		["silence", null, "lost", "instance_vanished"],
	])("takes %s for what it is", (_what, exit, state, code) => {
		expect(outcomeOf(null, exit)).toMatchObject({ state, reason: { code } });
	});

	it("ignores the exit code of an attempt that was asked to stop", () => {
		const out = { ...ended, signal: "SIGKILL", outOfMemory: true };
		expect(outcomeOf(reason("spot_interruption"), out)).toEqual({ state: "interrupted", reason: reason("spot_interruption") });
	});
});
