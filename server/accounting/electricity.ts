import type { ElectricityHours, OwnedRateCard } from "#server/domain/rate-card.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { type Calendar, offsetChanges } from "./zone.ts";

export interface Electricity {
	/**
	 * The price integrated over time up to the instant, micro-dollars per kWh × ms; the price of an interval is the
	 * difference of two.
	 */
	until(atMs: number): bigint;
	/** The sum of the prices of a week's 168 hours, micro-dollars per kWh. */
	weekSum: bigint;
}

const WEEK_HOURS = 168;
const WEEK_MS = WEEK_HOURS * HOUR_MS;
/** 1970-01-01 was a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY_MS = -3 * DAY_MS;
const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** Electricity price of a card: a single price, or prices by local hour of the calendar. */
export function electricityOf({ electricityUsdPerKwh, electricityHours = [] }: OwnedRateCard["power"], calendar: Calendar): Electricity {
	const usual = usdToMicro(electricityUsdPerKwh);
	if (electricityHours.length === 0) return { until: (atMs) => usual * BigInt(atMs), weekSum: usual * BigInt(WEEK_HOURS) };
	const prices = Array.from({ length: WEEK_HOURS }, (_, hour) => priceOf(electricityHours, hour) ?? usual);
	const sums = [0n];
	for (const price of prices) sums.push((sums.at(-1) ?? 0n) + price);
	const weekSum = sums.at(-1) ?? 0n;
	/** By local time, as if clocks never changed. */
	const shown = (clockMs: number): bigint => {
		const weeks = Math.floor((clockMs - FIRST_MONDAY_MS) / WEEK_MS);
		const inWeekMs = clockMs - FIRST_MONDAY_MS - weeks * WEEK_MS;
		const hour = Math.floor(inWeekMs / HOUR_MS);
		const whole = BigInt(weeks) * weekSum + (sums[hour] ?? 0n);
		return whole * BigInt(HOUR_MS) + (prices[hour] ?? 0n) * BigInt(inWeekMs - hour * HOUR_MS);
	};
	/** For each clock change, the cumulative correction: the skipped local time, negative where it repeats. */
	const skipped: bigint[] = [];
	return {
		weekSum,
		until(atMs) {
			const changes = offsetChanges(calendar, atMs);
			let last = 0;
			for (let i = 1; i < changes.length; i++) {
				const [before, change] = [changes[i - 1], changes[i]];
				if (!before || !change || change.atMs > atMs) break;
				skipped[i] ??= (skipped[i - 1] ?? 0n) + shown(change.atMs + change.offsetMs) - shown(change.atMs + before.offsetMs);
				last = i;
			}
			return shown(atMs + (changes[last]?.offsetMs ?? 0)) - (skipped[last] ?? 0n);
		},
	};
}

/** Price of the first entry that covers the hour of the week, 0 to 167 from Monday midnight; null: no entry covers it. */
function priceOf(entries: readonly ElectricityHours[], hourOfWeek: number): bigint | null {
	const day = WEEKDAYS[Math.floor(hourOfWeek / 24)];
	const hour = hourOfWeek % 24;
	const found = entries.find(({ days, fromHour, toHour }) => {
		return hour >= fromHour && hour < toHour && (days === undefined || (day !== undefined && days.includes(day)));
	});
	return found ? usdToMicro(found.usdPerKwh) : null;
}
