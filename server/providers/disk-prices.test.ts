import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "#server/kernel/clock.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { DiskPrices, wholeDisk } from "./disk-prices.ts";

const NOW_MS = Date.parse("2026-11-20T12:00:00Z");
const ASKED = { type: "gp3", gib: 100 };

describe("disk prices from a provider's own list", () => {
	let clock: ManualClock;
	let answers: (bigint | null | Error)[];
	let reads: number;
	let prices: DiskPrices;
	beforeEach(() => {
		clock = new ManualClock(NOW_MS);
		[answers, reads] = [[], 0];
		const read = async () => {
			reads += 1;
			const answer = answers.length > 1 ? answers.shift() : answers[0];
			if (answer instanceof Error) throw answer;
			return answer ?? null;
		};
		prices = new DiskPrices({ source: "a list", clock, read });
	});

	it("are read once in six hours, and contain the time of the reading", async () => {
		answers = [8_000_000n, 9_000_000n];
		const first = { ...ASKED, microUsdPerMonth: 8_000_000n, observedAtMs: NOW_MS, source: "a list" };
		expect(await prices.of("us-east-1", ASKED)).toEqual(first);
		clock.advance(6 * HOUR_MS - 1);
		expect(await Promise.all([prices.of("us-east-1", ASKED), prices.of("us-east-1", ASKED)])).toEqual([first, first]);
		expect(reads).toBe(1);
		clock.advance(1);
		expect(await prices.of("us-east-1", ASKED)).toMatchObject({ microUsdPerMonth: 9_000_000n, observedAtMs: NOW_MS + 6 * HOUR_MS });
	});

	it("remain valid for seven days while the list cannot be read, with their own time and the reason, and are requested every ten minutes", async () => {
		answers = [8_000_000n, new Error("503")];
		await prices.of("us-east-1", ASKED);
		clock.advance(6 * HOUR_MS);
		const held = { microUsdPerMonth: 8_000_000n, observedAtMs: NOW_MS, source: expect.stringMatching(/could not be read: 503/) };
		expect(await prices.of("us-east-1", ASKED)).toMatchObject(held);
		await prices.of("us-east-1", ASKED);
		expect(reads).toBe(2);
		clock.advance(10 * MINUTE_MS);
		expect(await prices.of("us-east-1", ASKED)).toMatchObject(held);
		expect(reads).toBe(3);
		clock.advance(7 * DAY_MS);
		expect(await prices.of("us-east-1", ASKED)).toMatchObject({ microUsdPerMonth: null, observedAtMs: null });
	});

	it.each([
		["no price", null, /has no price of gp3 in us-east-1/],
		["a price of zero", 0n, /\$0 was refused: it is not above zero/],
		["a negative price", -1n, /not above zero/],
		["ten dollars a GiB", 1_000_000_000n, /\$1000 for 100 GiB was refused/],
		["no answer", new Error("no answer"), /could not be read: no answer/],
	])("are missing, with the reason, if the list has %s", async (_what, answer, why) => {
		answers = [answer];
		const none = { ...ASKED, microUsdPerMonth: null, observedAtMs: null, source: expect.stringMatching(why) };
		expect(await prices.of("us-east-1", ASKED)).toEqual(none);
	});

	it("are for the whole disk: 100 GiB at $0.0928000000 are $9.28, and at 0.1 as a number $10", () => {
		expect([wholeDisk("0.0928000000", 100), wholeDisk(0.1, 100)]).toEqual([9_280_000n, 10_000_000n]);
	});
});
