import { expect, it } from "vitest";
import { VARIANCE_CAUSES } from "#server/domain/variance-cause.ts";
import { waterfall } from "./waterfall.ts";

it("steps from before to after, leaving out causes without effect", () => {
	const byCause = { started: 30n, ended: 0n, hours: -10n, capacity: 0n, place: 0n, price: 0n, lost: 0n, idle: 0n, other: 0n };
	expect(waterfall({ beforeAmount: 30n, afterAmount: 50n, byCause }, VARIANCE_CAUSES)).toEqual({
		originAmount: 0n,
		steps: [
			{ cause: "before", amount: 30n, from: 0, to: 30 / 60 },
			{ cause: "started", amount: 30n, from: 30 / 60, to: 1 },
			{ cause: "hours", amount: -10n, from: 1, to: 50 / 60 },
			{ cause: "after", amount: 50n, from: 0, to: 50 / 60 },
		],
	});
});

const changed = (beforeAmount: bigint, started: bigint) =>
	waterfall({ beforeAmount, afterAmount: beforeAmount + started, byCause: { started } }, VARIANCE_CAUSES);

it("breaks the axis at a round amount when the change is small beside the total", () => {
	expect(changed(201_500n, 4_200n)).toEqual({
		originAmount: 200_000n,
		steps: [
			{ cause: "before", amount: 201_500n, from: 0, to: 1_500 / 5_700 },
			{ cause: "started", amount: 4_200n, from: 1_500 / 5_700, to: 1 },
			{ cause: "after", amount: 205_700n, from: 0, to: 1 },
		],
	});
});

it("starts at zero when the change is large, when nothing changed, and when a total is negative", () => {
	expect(changed(200n, 101n).originAmount).toBe(0n);
	expect(changed(200n, 0n).originAmount).toBe(0n);
	expect(changed(-200n, 10n).originAmount).toBe(0n);
	expect(changed(-10n, 200n).originAmount).toBe(0n);
});
