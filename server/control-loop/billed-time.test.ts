import { expect, it } from "vitest";
import type { Billing } from "#server/providers/driver.ts";
import { billedAfterItsEnd, billedTime, type Known, launchedAt } from "./billed-time.ts";

const at = (ms: number | null) => (ms === null ? null : new Date(ms));

/** Launched at 1,000, last observed at 20,000, and now between 22,000 and 22,100. */
function look(billing: Billing, known: Partial<Known> = {}) {
	const row: Known = {
		...{ billedFrom: null, billedFromSlackMs: 0, billedUntil: null, billedUntilSlackMs: 0 },
		...{ launchedAt: at(1_000), lastSeenAt: at(20_000), lastHeardAt: null, readyAt: null, ...known },
	};
	const { billedFrom, billedFromSlackMs, billedUntil, billedUntilSlackMs } = billedTime(row, billing, {
		askedMs: 22_000,
		answeredMs: 22_100,
	});
	return [billedFrom?.getTime() ?? null, billedFromSlackMs, billedUntil?.getTime() ?? null, billedUntilSlackMs];
}

const running = { billedFrom: at(10_000), billedFromSlackMs: 50 };
const by = (askedMs: number, answeredMs: number): Billing => ({
	...{ phase: "over", fromMs: null, untilMs: null },
	endedBetween: { askedMs, answeredMs },
});
const over = (untilMs: number | null): Billing => ({ phase: "over", fromMs: null, untilMs });

it.each<[string, Billing, Partial<Known>, unknown[]]>([
	["nothing of a machine that does not run yet", { phase: "not_yet" }, {}, [null, 0, null, 0]],
	["from the provider's word on", { phase: "now", fromMs: 19_000 }, {}, [19_000, 0, null, 0]],
	["without one, from the last look at which it did not run", { phase: "now", fromMs: null }, {}, [20_000, 2_100, null, 0]],
	["which its agent may make shorter", { phase: "now", fromMs: null }, { readyAt: at(20_400) }, [20_000, 400, null, 0]],
	["from its launch on when no one looked", { phase: "now", fromMs: null }, { lastSeenAt: null }, [1_000, 21_100, null, 0]],
	["as it was, once known", { phase: "now", fromMs: 5 }, running, [10_000, 50, null, 0]],
	["until the provider's word", over(21_000), running, [10_000, 50, 21_000, 0]],
	["without one, until it was seen to be over", over(null), running, [10_000, 50, 22_100, 2_100]],
	["that its agent's last report may shorten", over(null), { ...running, lastHeardAt: at(21_900) }, [10_000, 50, 22_100, 200]],
	[
		"until the first time that it was seen over",
		over(null),
		{ ...running, billedUntil: at(21_000), billedUntilSlackMs: 9 },
		[10_000, 50, 21_000, 9],
	],
	["until a word that comes later", over(20_500), { ...running, billedUntil: at(21_000), billedUntilSlackMs: 9 }, [10_000, 50, 20_500, 0]],
	["until the first word", over(21_500), { ...running, billedUntil: at(21_000) }, [10_000, 50, 21_000, 0]],
	[
		"on, when its end came to nothing",
		{ phase: "now", fromMs: null },
		{ ...running, billedUntil: at(21_000), billedUntilSlackMs: 9 },
		[10_000, 50, null, 0],
	],
	["what may have run between two looks", over(21_000), {}, [20_000, 2_100, 21_000, 0]],
	["no time below zero", over(19_000), {}, [20_000, 2_100, 20_000, 0]],
	["as seen, where the provider's clock says another century", { phase: "now", fromMs: Date.UTC(1900, 0) }, {}, [20_000, 2_100, null, 0]],
	["as seen, where it says a time to come", { phase: "now", fromMs: Date.UTC(2100, 0) }, {}, [20_000, 2_100, null, 0]],
	["as seen, where it says no time at all", { phase: "now", fromMs: Number.NaN }, {}, [20_000, 2_100, null, 0]],
	["no years to come, whatever the provider's clock says", over(Date.UTC(2100, 0)), running, [10_000, 50, 22_100, 2_100]],
	["all that was seen, where the provider says an end before it", over(-3_600_000), running, [10_000, 50, 22_100, 2_100]],
	["until no time, as seen", over(Number.NaN), running, [10_000, 50, 22_100, 2_100]],
	["until our own call ended it", by(21_300, 21_400), running, [10_000, 50, 21_400, 100]],
	[
		"as seen, when its agent was heard after that call",
		by(21_300, 21_400),
		{ ...running, lastHeardAt: at(21_900) },
		[10_000, 50, 22_100, 200],
	],
	["as seen, when it was seen after that call", by(19_300, 19_400), running, [10_000, 50, 22_100, 2_100]],
	["nothing of what failed in its launch", { phase: "never" }, {}, [null, 0, null, 0]],
	[
		"what an agent was heard of all the same",
		{ phase: "never" },
		{ lastHeardAt: at(21_000), readyAt: at(20_900) },
		[20_000, 900, 22_100, 1_100],
	],
])("meters %s", (_what, billing, known, want) => expect(look(billing, known)).toEqual(want));

it("bounds a launch by its intent and its first observation, with clocks a quarter of an hour apart", () => {
	const intended = Date.UTC(2026, 10, 22);
	const said = (ms: number) => launchedAt(intended + ms, { intendedAt: new Date(intended) }, intended + 60_000).getTime() - intended;
	expect([5_000, -600_000, 900_000].map(said)).toEqual([5_000, -600_000, 900_000]);
	expect([-1_000_000, 1_000_000, -intended, Number.NaN].map(said)).toEqual([0, 0, 0, 0]);
});

it("starts as late as the first observation for a machine first seen after it counted as terminated", () => {
	const presumedDeleted: Known = {
		...{ launchedAt: at(1_000), lastSeenAt: at(61_000), lastHeardAt: null, readyAt: null },
		...{ billedFrom: at(1_000), billedFromSlackMs: 500, billedUntil: at(1_500), billedUntilSlackMs: 500 },
	};
	const first = billedAfterItsEnd(presumedDeleted, { phase: "now", fromMs: null }, { askedMs: 87_000, answeredMs: 87_100 });
	expect(first).toEqual({ billedFrom: at(1_000), billedFromSlackMs: 86_100, billedUntil: at(87_100), billedUntilSlackMs: 85_600 });
	const second = billedAfterItsEnd(
		{ ...presumedDeleted, ...first },
		{ phase: "now", fromMs: null },
		{ askedMs: 90_000, answeredMs: 90_100 },
	);
	expect(second).toMatchObject({ billedFrom: at(1_000), billedFromSlackMs: 86_100, billedUntil: at(90_100) });
	const seenBefore: Known = { ...presumedDeleted, billedFromSlackMs: 200 };
	expect(billedAfterItsEnd(seenBefore, { phase: "now", fromMs: null }, { askedMs: 87_000, answeredMs: 87_100 }).billedFromSlackMs).toBe(
		200,
	);
});
