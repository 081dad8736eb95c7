import { expect, it } from "vitest";
import { summarizeForecast } from "./summarize-forecast.ts";

it("takes the peak of the day and of the week, and counts hours above owned GPUs", () => {
	const points = Array.from({ length: 48 }, (_, i) => {
		return { at: new Date(i * 3_600_000).toISOString(), p10: i, p50: i + 1, p90: i + 2 };
	});
	const { day, week } = summarizeForecast(points, 40);
	expect([day.p50, day.atMs, day.hoursOver]).toEqual([24, 23 * 3_600_000, 0]);
	expect([week.p50, week.p90, week.hoursOver]).toEqual([48, 49, 8]);
});
