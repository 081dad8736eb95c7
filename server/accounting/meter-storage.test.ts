import fc from "fast-check";
import { expect, it } from "vitest";
import { cases } from "#server/kernel/testing/deep.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { meterStored, type StoredResult } from "./meter-storage.ts";
import { storageCostUntil } from "./storage-cost.ts";
import { calendarOf, UTC } from "./zone.ts";

const CREATED = Date.parse("2026-10-20T15:30:00.123Z");
const GIB = 1_073_741_824n;

function aResult(changes: Partial<StoredResult> = {}): StoredResult {
	return {
		...{ artifactId: "art_1", jobId: "job_1", bytes: 10n * GIB, createdMs: CREATED, deletedMs: null, meteredUntilMs: null },
		prices: [{ fromMs: 0, microUsdPerGiBMonth: 23_000n }],
		dimensions: {
			...{ team: "risk", project: "", class: "burst", siteId: "sto_1", provider: "aws", region: "eu-west-1" },
			...{ capacityType: "on_demand", accelerator: "" },
		},
		...changes,
	};
}

it("charges ended days in their last hour, and the rest when the result is deleted", () => {
	const nowMs = Date.parse("2026-10-22T09:00:00Z");
	const { charges, meteredUntilMs } = meterStored(aResult(), nowMs, { calendar: UTC, daysMax: 31 });
	expect(charges.map((c) => [new Date(c.periodStartMs).toISOString(), c.periodEndMs - c.periodStartMs, c.effectiveMicroUsd])).toEqual([
		["2026-10-20T23:00:00.000Z", HOUR_MS, 2_627n],
		["2026-10-21T23:00:00.000Z", HOUR_MS, 7_420n],
	]);
	expect(meteredUntilMs).toBe(Date.parse("2026-10-22T00:00:00Z"));
	const ended = aResult({ meteredUntilMs, deletedMs: nowMs - 1 });
	const last = meterStored(ended, nowMs, { calendar: UTC, daysMax: 31 });
	expect(last.charges.map((c) => [c.periodStartMs, c.periodEndMs])).toEqual([[nowMs - HOUR_MS, nowMs - 1]]);
	expect(meterStored({ ...ended, meteredUntilMs: last.meteredUntilMs }, nowMs + DAY_MS, { calendar: UTC, daysMax: 31 }).charges).toEqual(
		[],
	);
});

it("property: whenever the meter runs, is killed or catches up, all charges add up to the cost of the time, and each is within one hour and day", () => {
	const zones = fc.constantFrom("UTC", "Asia/Kolkata", "America/New_York").map(calendarOf);
	const looks = fc.array(fc.integer({ min: 1, max: 20 * 24 }), { minLength: 1, maxLength: 12 });
	const price = fc.record({ fromMs: fc.integer({ min: 0, max: 60 * 24 }), microUsdPerGiBMonth: fc.option(fc.bigInt(0n, 500_000n)) });
	const input = [zones, looks, fc.array(price, { maxLength: 3 }), fc.bigInt(0n, 10n ** 12n), fc.integer({ min: 0, max: 90 * 24 })] as const;
	fc.assert(
		fc.property(...input, fc.infiniteStream(fc.boolean()), (calendar, waits, steps, bytes, livedHours, kills) => {
			const prices = steps.map((s) => ({ ...s, fromMs: CREATED + s.fromMs * HOUR_MS })).toSorted((a, b) => a.fromMs - b.fromMs);
			const deletedMs = CREATED + livedHours * HOUR_MS;
			let result = aResult({ prices, bytes });
			const posted: { periodStartMs: number; periodEndMs: number; effectiveMicroUsd: bigint }[] = [];
			const look = (nowMs: number) => {
				const seen = { ...result, deletedMs: deletedMs <= nowMs ? deletedMs : null };
				const { charges, meteredUntilMs } = meterStored(seen, nowMs, { calendar, daysMax: 7 });
				// Charges and their end time are written together or not at all.
				if (kills.next().value) return;
				posted.push(...charges);
				result = { ...result, meteredUntilMs };
			};
			let nowMs = CREATED;
			for (const hours of waits) {
				nowMs += hours * HOUR_MS;
				look(nowMs);
			}
			const untilMs = Math.min(result.meteredUntilMs ?? CREATED, deletedMs);
			const sum = () => posted.reduce((total, c) => total + c.effectiveMicroUsd, 0n);
			expect(sum()).toBe(storageCostUntil(prices, bytes, CREATED, Math.max(CREATED, untilMs)));
			for (let tries = 0; result.meteredUntilMs !== deletedMs && livedHours > 0 && tries < 1_000; tries++) look(deletedMs + DAY_MS);
			expect(sum()).toBe(storageCostUntil(prices, bytes, CREATED, deletedMs));
			for (const { periodStartMs, periodEndMs } of posted) {
				expect(periodEndMs).toBeGreaterThan(periodStartMs);
				expect(Math.floor(periodStartMs / HOUR_MS)).toBe(Math.floor((periodEndMs - 1) / HOUR_MS));
			}
		}),
		{ numRuns: cases(40, 1_000) },
	);
});
