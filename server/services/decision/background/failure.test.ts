import { describe, expect, it } from "vitest";
import { SpillwayError } from "#server/kernel/errors.ts";
import { failureOf } from "./failure.ts";

describe("why a backtest failed", () => {
	it("is the exact message of an expected error", () => {
		expect(failureOf(new SpillwayError("invalid_input", "The policy of the draft cannot be read."))).toBe(
			"The policy of the draft cannot be read.",
		);
	});
	it("is the innermost cause of any other error, without the query", () => {
		const query = new Error('Failed query: select "offer"."id" from "offer"', {
			cause: new Error("the connection was closed\n at line 3"),
		});
		expect(failureOf(query)).toBe(
			"It ended with an error that no one foresaw: the connection was closed. Run it again; if it fails again, look into the scheduler's log.",
		);
		expect(failureOf("thrown")).toContain("no one foresaw: thrown.");
	});
});
