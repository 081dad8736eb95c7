import { expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { hourlyMeans } from "./hourly-means.ts";

const T = Date.UTC(2026, 10, 1);

it("weights a value by its duration: from 9:30 1, from 10:15 3, from 11:00 2, up to 12:30", () => {
	const steps = [
		{ atMs: T + 9.5 * HOUR_MS, value: 1 },
		{ atMs: T + 10.25 * HOUR_MS, value: 3 },
		{ atMs: T + 11 * HOUR_MS, value: 2 },
	];
	// 10:00: 15 min at 1 and 45 at 3. 9:00 started before the first value, and 12:00 is not over.
	expect([...hourlyMeans(steps, T + 12.5 * HOUR_MS)]).toEqual([
		[T + 10 * HOUR_MS, 2.5],
		[T + 11 * HOUR_MS, 2],
	]);
});

it("holds a value until the next one, and returns nothing without steps", () => {
	expect([...hourlyMeans([{ atMs: T, value: 7 }], T + 3 * HOUR_MS).values()]).toEqual([7, 7, 7]);
	expect(hourlyMeans([], T).size).toBe(0);
});
