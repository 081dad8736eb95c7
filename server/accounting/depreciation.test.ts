import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { depreciationOf, writtenOffMicroUsd } from "./depreciation.ts";
import { anAsset } from "./testing/cards.ts";
import { calendarOf, UTC } from "./zone.ts";

const usd = (dollars: number) => BigInt(dollars) * 1_000_000n;
const between = (asset: ReturnType<typeof anAsset>, from: string, to: string, calendar = UTC) => {
	const plan = depreciationOf(asset);
	return writtenOffMicroUsd(plan, calendar, Date.parse(to)) - writtenOffMicroUsd(plan, calendar, Date.parse(from));
};

describe("straight-line depreciation, worked by hand", () => {
	it("over a leap year: $14,610 over 2024-01-01..2027-12-31 is 1,461 days of $10; 2024: 366 × 10 = $3,660, 2025: $3,650", () => {
		expect(between(anAsset(), "2024-01-01", "2025-01-01")).toBe(usd(3_660));
		expect(between(anAsset(), "2025-01-01", "2026-01-01")).toBe(usd(3_650));
		expect(between(anAsset(), "2024-02-01", "2024-03-01")).toBe(usd(290));
		expect(between(anAsset(), "2025-02-01", "2025-03-01")).toBe(usd(280));
	});

	it("nothing before the first day and after the last; everything in between: $14,610", () => {
		expect(between(anAsset(), "2000-01-01", "2024-01-01")).toBe(0n);
		expect(between(anAsset(), "2028-01-01", "2040-01-01")).toBe(0n);
		expect(between(anAsset(), "2000-01-01", "2040-01-01")).toBe(usd(14_610));
	});

	it("down to the residual value: ($14,610 - $4,610) / 1,461 days = $6.844626 a day, 365 days = $2,498.288843", () => {
		expect(between(anAsset({ residualUsd: "4610" }), "2025-01-01", "2026-01-01")).toBe(2_498_288_843n);
	});

	it("bought on January 31 with a life of one month, ends on the last day of February: 28 days of $521.785714", () => {
		const asset = anAsset({ inServiceOn: "2025-01-31", lifeMonths: 1 });
		expect(between(asset, "2025-01-31", "2025-02-28")).toBe(usd(14_610));
		expect(between(asset, "2025-01-31", "2025-02-01")).toBe(521_785_714n);
	});

	it("daylight saving: 2026-03-29 has 23 hours in Berlin and still costs $10, an hour of it 10 / 23 = $0.434782", () => {
		const berlin = calendarOf("Europe/Berlin");
		expect(between(anAsset(), "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", berlin)).toBe(usd(10));
		expect(between(anAsset(), "2026-03-28T23:00:00Z", "2026-03-29T00:00:00Z", berlin)).toBe(434_782n);
		expect(between(anAsset(), "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", berlin)).toBe(usd(10));
		expect(between(anAsset(), "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z", berlin)).toBe(usd(310));
	});
});

describe("declining balance, worked by hand", () => {
	const declining = (changes: Partial<Parameters<typeof anAsset>[0]> = {}) =>
		anAsset({
			...{ inServiceOn: "2023-01-01", priceUsd: "10000", lifeMonths: 60, method: { kind: "declining_balance", ratePerYear: "0.4" } },
			...changes,
		});
	const years = (asset: ReturnType<typeof anAsset>) =>
		[2023, 2024, 2025, 2026, 2027, 2028].map((y) => between(asset, `${y}-01-01`, `${y + 1}-01-01`));

	it("$10,000 at 40%: 4,000 + 2,400 + 1,440, then the rest in a straight line: (2,160 / 2 = 1,080) > (2,160 × 0.4 = 864): 1,080 + 1,080", () => {
		expect(years(declining())).toEqual([usd(4_000), usd(2_400), usd(1_440), usd(1_080), usd(1_080), 0n]);
	});

	it("never below a residual of $1,000: 4,000 + 2,400 + 1,440 + 864, and the last year 1,296 - 1,000 = 296 instead of 518.40", () => {
		expect(years(declining({ residualUsd: "1000" }))).toEqual([usd(4_000), usd(2_400), usd(1_440), usd(864), usd(296), 0n]);
	});

	it("in the leap year 2024 its 2,400 are 366 equal days: February has 29 × 2,400 / 366 = $190.163934", () => {
		expect(between(declining(), "2024-01-01", "2024-02-01")).toBe((2_400_000_000n * 31n) / 366n);
		expect(between(declining(), "2024-02-01", "2024-03-01")).toBe(190_163_934n);
	});

	it("a life of 18 months at 40%: the straight line is higher from the start, 10,000 × 365 / 547 = 6,672.760511, and 3,327.239489 in the remaining 182 days", () => {
		const asset = declining({ lifeMonths: 18 });
		expect(between(asset, "2023-01-01", "2024-01-01")).toBe(6_672_760_511n);
		expect(between(asset, "2024-01-01", "2024-07-01")).toBe(3_327_239_489n);
	});
});

describe("depreciation properties", () => {
	const asset = fc
		.record({
			day: fc.integer({ min: 0, max: 3_000 }),
			price: fc.integer({ min: 0, max: 10_000_000 }),
			keep: fc.integer({ min: 0, max: 100 }),
			lifeMonths: fc.integer({ min: 1, max: 120 }),
			rate: fc.integer({ min: 0, max: 100 }),
		})
		.map(({ day, price, keep, lifeMonths, rate }) =>
			anAsset({
				inServiceOn: new Date(Date.UTC(2020, 0, 1) + day * DAY_MS).toISOString().slice(0, 10),
				priceUsd: String(price),
				residualUsd: String(Math.floor((price * keep) / 100)),
				lifeMonths,
				method: rate === 0 ? { kind: "straight_line" } : { kind: "declining_balance", ratePerYear: (rate / 100).toFixed(2) },
			}),
		);
	const zone = fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kolkata", "America/New_York").map(calendarOf);

	it("writes off the depreciable amount exactly, never decreases, and starts and ends at zero", () => {
		fc.assert(
			fc.property(asset, zone, fc.array(fc.integer({ min: 0, max: 20 * 366 * 24 }), { maxLength: 20 }), (owned, calendar, hours) => {
				const plan = depreciationOf(owned);
				const at = (ms: number) => writtenOffMicroUsd(plan, calendar, ms);
				const base = Date.UTC(2019, 11, 1);
				expect(at(base)).toBe(0n);
				expect(at(Date.UTC(2045, 0, 1))).toBe(usd(Number(owned.priceUsd)) - usd(Number(owned.residualUsd)));
				let last = 0n;
				for (const hour of hours.sort((a, b) => a - b)) {
					const now = at(base + hour * HOUR_MS);
					expect(now >= last).toBe(true);
					last = now;
				}
			}),
		);
	});
});
