import { describe, expect, it } from "vitest";
import { isRefundable, readRefund } from "./prepare-refund.ts";

const charge = {
	cause: { kind: "instance", id: "ins_1" },
	dimensions: { capacityType: "spot" },
	effectiveMicroUsd: 4_000_000n,
	correction: null,
} as Parameters<typeof isRefundable>[0];

describe("refundable charges", () => {
	it.each([
		["a cloud machine's hour", {}, true],
		["owned hardware", { dimensions: { ...charge.dimensions, capacityType: "owned" } }, false],
		["a line of a bill", { cause: { kind: "bill_line", id: "l" } }, false],
		["a correction", { correction: "refund" }, false],
		["what took something back", { effectiveMicroUsd: -1n }, false],
	] as const)("%s: %s", (_, changes, expected) => {
		expect(isRefundable({ ...charge, ...changes } as typeof charge)).toBe(expected);
	});
});

describe("typed refund amount", () => {
	it.each([
		["", { kind: "all" }],
		["  ", { kind: "all" }],
		["1.50", { kind: "part", amountUsd: "1.50" }],
		["$4", { kind: "part", amountUsd: "4" }],
		["0", { kind: "wrong", message: "More than zero" }],
		["4.000001", { kind: "wrong", message: expect.stringContaining("At most $4.00") }],
		["1,5x", { kind: "wrong", message: "Dollar amount, such as 12.50" }],
	])("%j", (typed, expected) => {
		expect(readRefund(typed, 4_000_000n)).toEqual(expected);
	});
});
