import type { OwnedAsset } from "#server/domain/rate-card.ts";
import { assert } from "#server/kernel/assert.ts";
import { MICRO_PER_USD, mulDivFloor, usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { type Calendar, dayNumberOf, dayStartMs } from "./zone.ts";

/** An asset's loss of value over one segment of its life, the same amount each day. */
interface Stretch {
	/** Day numbers of the calendar, half-open. */
	fromDay: number;
	toDay: number;
	microUsd: bigint;
}

/** Depreciation plan of an asset: consecutive segments in order of time, without gaps. */
export type Depreciation = readonly Stretch[];

/**
 * The plan for writing off an asset's price less its residual value (the depreciable amount) over its life: all of it,
 * and nothing after the end of its life (IAS 16, paragraphs 6, 50 and 55; the methods: paragraph 62).
 *
 * straight_line: the same amount each day of the life, leap days included. declining_balance: each year in service
 * writes off `ratePerYear` of its opening book value, the same amount each day of the year. Once a straight line over
 * the remaining life would write off more, it switches to that, so that the life ends at the residual value and never
 * falls below it. Yearly amounts are rounded down to the micro-dollar.
 */
export function depreciationOf(asset: OwnedAsset): Depreciation {
	const price = usdToMicro(asset.priceUsd);
	const residual = usdToMicro(asset.residualUsd);
	assert(price >= residual, `asset ${asset.id} is worth more at its end than it cost`);
	const toDay = dayAfterMonths(asset.inServiceOn, asset.lifeMonths);
	const fromDay = dayAfterMonths(asset.inServiceOn, 0);
	const { method } = asset;
	if (method.kind === "straight_line") return [{ fromDay, toDay, microUsd: price - residual }];
	const rate = usdToMicro(method.ratePerYear);
	const stretches: Stretch[] = [];
	let book = price;
	for (let months = 0; months < asset.lifeMonths; months += 12) {
		const year = { fromDay: dayAfterMonths(asset.inServiceOn, months), toDay: dayAfterMonths(asset.inServiceOn, months + 12) };
		const end = Math.min(year.toDay, toDay);
		const days = BigInt(end - year.fromDay);
		const declining = mulDivFloor(book * rate, days, MICRO_PER_USD * BigInt(year.toDay - year.fromDay)).quotient;
		const straight = mulDivFloor(book - residual, days, BigInt(toDay - year.fromDay)).quotient;
		const microUsd = least(book - residual, greatest(declining, straight));
		stretches.push({ fromDay: year.fromDay, toDay: end, microUsd });
		book -= microUsd;
	}
	return stretches;
}

/** Amount written off before the instant, rounded down once to the micro-dollar; whole days are exact. */
export function writtenOffMicroUsd(depreciation: Depreciation, calendar: Calendar, atMs: number): bigint {
	const day = dayNumberOf(calendar, atMs);
	let sum = 0n;
	for (const { fromDay, toDay, microUsd } of depreciation) {
		if (day < fromDay) break;
		sum += day >= toDay ? microUsd : partOf(microUsd, { day: day - fromDay, days: toDay - fromDay }, calendar, atMs);
	}
	return sum;
}

/** All days have equal amounts, even with a clock change; within a day the amount is spread evenly. */
function partOf(microUsd: bigint, { day, days }: { day: number; days: number }, calendar: Calendar, atMs: number): bigint {
	const number = dayNumberOf(calendar, atMs);
	const startMs = dayStartMs(calendar, number);
	const lengthMs = BigInt(dayStartMs(calendar, number + 1) - startMs);
	return mulDivFloor(microUsd, BigInt(day) * lengthMs + BigInt(atMs - startMs), BigInt(days) * lengthMs).quotient;
}

/** Day number of the date this many months later; in a shorter month, of its last day. */
function dayAfterMonths(date: string, months: number): number {
	const at = new Date(`${date}T00:00:00Z`);
	const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);
	const daysInMonth = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months + 1, 0)).getUTCDate();
	return first / DAY_MS + Math.min(at.getUTCDate(), daysInMonth) - 1;
}

function least(a: bigint, b: bigint): bigint {
	return a < b ? a : b;
}

function greatest(a: bigint, b: bigint): bigint {
	return least(a, b) === a ? b : a;
}
