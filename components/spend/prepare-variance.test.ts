import { expect, it } from "vitest";
import { waterfall } from "./prepare-variance.ts";

it("steps from before to after, leaving out causes without effect", () => {
	const byCause = { started: 30n, ended: 0n, hours: -10n, capacity: 0n, place: 0n, price: 0n, lost: 0n, idle: 0n, other: 0n };
	expect(waterfall({ beforeMicroUsd: 100n, afterMicroUsd: 120n, byCause })).toEqual([
		{ cause: "before", microUsd: 100n, from: 0, to: 100 / 130 },
		{ cause: "started", microUsd: 30n, from: 100 / 130, to: 1 },
		{ cause: "hours", microUsd: -10n, from: 1, to: 120 / 130 },
		{ cause: "after", microUsd: 120n, from: 0, to: 120 / 130 },
	]);
});
