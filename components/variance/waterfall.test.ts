import { expect, it } from "vitest";
import { VARIANCE_CAUSES } from "#server/domain/variance-cause.ts";
import { waterfall } from "./waterfall.ts";

it("steps from before to after, leaving out causes without effect", () => {
	const byCause = { started: 30n, ended: 0n, hours: -10n, capacity: 0n, place: 0n, price: 0n, lost: 0n, idle: 0n, other: 0n };
	expect(waterfall({ beforeAmount: 100n, afterAmount: 120n, byCause }, VARIANCE_CAUSES)).toEqual([
		{ cause: "before", amount: 100n, from: 0, to: 100 / 130 },
		{ cause: "started", amount: 30n, from: 100 / 130, to: 1 },
		{ cause: "hours", amount: -10n, from: 1, to: 120 / 130 },
		{ cause: "after", amount: 120n, from: 0, to: 120 / 130 },
	]);
});
