import type { OwnedRateCard } from "#server/domain/rate-card.ts";
import { MICRO_PER_USD, mulDivFloor, usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import type { Interval } from "./calendar.ts";
import { type Depreciation, depreciationOf, writtenOffMicroUsd } from "./depreciation.ts";
import { electricityOf } from "./electricity.ts";
import { type Calendar, dayNumberOf, dayStartMs } from "./zone.ts";

/**
 * Cost of a pool under one rate card, as running totals in whole micro-dollars. Every term is rounded down once, and
 * the price of an interval is the difference of two totals, so that parts of an interval add up to the interval.
 *
 * fixed: depreciation of all assets + rack, network, support and staff, used or not. power: of one GPU: watts × PUE ×
 * $/kWh of the hour, at its load.
 */
export interface CardCost {
	/** For the whole pool: depreciation since its assets came into service, running cost since 1970. */
	fixedUntil(atMs: number): bigint;
	/** For one GPU at this load throughout since 1970. */
	powerUntil(load: Load, atMs: number): bigint;
	/** For one GPU at this load for this long at this price per kWh, which may be negative. */
	powerAt(load: Load, microUsdPerKwh: bigint, ms: number): bigint;
	/** For one GPU per hour, averaged over the hours of a week. */
	powerPerHour(load: Load): bigint;
}

export type Load = "busy" | "idle";

/** A card that applies from an instant until the next card's. */
export interface EffectiveCard {
	fromMs: number;
	cost: CardCost;
}

/** The parts of a pool's cost, for pages that explain it. */
export interface CardParts {
	depreciationMicroUsd: bigint;
	rackMicroUsd: bigint;
	networkMicroUsd: bigint;
	supportMicroUsd: bigint;
	staffMicroUsd: bigint;
}

/** Number of instants that a card caches: enough for the charges of a few transactions. */
const MEMORY_MAX = 20_000;
const MS_PER_HOUR = BigInt(HOUR_MS);
const WATTS_PER_KILOWATT = 1_000n;

export function cardCost(card: OwnedRateCard, calendar: Calendar): CardCost {
	const plan = planOf(card);
	const electricity = electricityOf(card.power, calendar);
	const microWatts = (load: Load) => (load === "busy" ? plan.busyMicroWatts : plan.idleMicroWatts);
	const memory = new Map<number, bigint>();
	return {
		fixedUntil(atMs) {
			const known = memory.get(atMs);
			if (known !== undefined) return known;
			const total = sumOf(partsUntil(plan, calendar, atMs));
			if (memory.size >= MEMORY_MAX) memory.clear();
			memory.set(atMs, total);
			return total;
		},
		powerUntil(load, atMs) {
			// µW × millionths of PUE × µ$/kWh × ms → µ$
			return mulDivFloor(microWatts(load) * plan.pueMillionths, electricity.until(atMs), POWER_SCALE).quotient;
		},
		powerAt(load, microUsdPerKwh, ms) {
			const paid = microUsdPerKwh < 0n;
			const price = (paid ? -microUsdPerKwh : microUsdPerKwh) * BigInt(ms);
			const { quotient } = mulDivFloor(microWatts(load) * plan.pueMillionths, price, POWER_SCALE);
			return paid ? -quotient : quotient;
		},
		powerPerHour(load) {
			return mulDivFloor(microWatts(load) * plan.pueMillionths, electricity.weekSum * MS_PER_HOUR, POWER_SCALE * 168n).quotient;
		},
	};
}

/**
 * Average hourly power cost of one GPU over some time: hours with their own price (micro-dollars per kWh, by start of
 * the hour) use that price, all others the card's weekly mean. Rounded toward zero; negative if the market pays.
 */
export function powerPerHour(cost: CardCost, load: Load, hours: ReadonlyMap<number, bigint>, { fromMs, toMs }: Interval): bigint {
	let knownMs = 0;
	let sum = 0n;
	for (const [hourMs, microUsdPerKwh] of hours) {
		const ms = Math.min(hourMs + HOUR_MS, toMs) - Math.max(hourMs, fromMs);
		if (ms <= 0) continue;
		knownMs += ms;
		sum += cost.powerAt(load, microUsdPerKwh, HOUR_MS) * BigInt(ms);
	}
	sum += cost.powerPerHour(load) * BigInt(toMs - fromMs - knownMs);
	return sum / BigInt(toMs - fromMs);
}

/** The pool's fixed cost over an interval, part by part; the parts add up to the difference of fixedUntil. */
export function cardParts(card: OwnedRateCard, calendar: Calendar, { fromMs, toMs }: Interval): CardParts {
	const plan = planOf(card);
	const [later, earlier] = [partsUntil(plan, calendar, toMs), partsUntil(plan, calendar, fromMs)];
	return {
		depreciationMicroUsd: later.depreciationMicroUsd - earlier.depreciationMicroUsd,
		rackMicroUsd: later.rackMicroUsd - earlier.rackMicroUsd,
		networkMicroUsd: later.networkMicroUsd - earlier.networkMicroUsd,
		supportMicroUsd: later.supportMicroUsd - earlier.supportMicroUsd,
		staffMicroUsd: later.staffMicroUsd - earlier.staffMicroUsd,
	};
}

/** Splits the interval into parts that each fall under one card; `cost` is null before the first card. */
export function splitAtCards(cards: readonly EffectiveCard[], { fromMs, toMs }: Interval): (Interval & { cost: CardCost | null })[] {
	const parts: (Interval & { cost: CardCost | null })[] = [];
	const holding = [{ fromMs: Number.NEGATIVE_INFINITY, cost: null }, ...cards];
	for (const [i, card] of holding.entries()) {
		const part = { fromMs: Math.max(fromMs, card.fromMs), toMs: Math.min(toMs, holding[i + 1]?.fromMs ?? toMs) };
		if (part.fromMs < part.toMs) parts.push({ ...part, cost: card.cost });
	}
	return parts;
}

/**
 * The share of one slot of `gpus` in a pool's fixed cost: slot i of n pays floor((C + i) / n) of the running total C.
 * The shares of all slots add up to C exactly (Hermite's identity), and no two differ by more than a micro-dollar.
 */
export function shareOfSlot(totalMicroUsd: bigint, slot: number, gpus: number): bigint {
	return mulDivFloor(totalMicroUsd + BigInt(slot % gpus), 1n, BigInt(gpus)).quotient;
}

const POWER_SCALE = MICRO_PER_USD * MICRO_PER_USD * WATTS_PER_KILOWATT * MS_PER_HOUR;

interface Plan {
	depreciations: Depreciation[];
	perYear: { rack: bigint; network: bigint; support: bigint; staff: bigint };
	busyMicroWatts: bigint;
	idleMicroWatts: bigint;
	pueMillionths: bigint;
}

function planOf(card: OwnedRateCard): Plan {
	const { perYear, power } = card;
	return {
		depreciations: card.assets.map(depreciationOf),
		perYear: {
			rack: usdToMicro(perYear.rackUsd),
			network: usdToMicro(perYear.networkUsd),
			support: usdToMicro(perYear.supportUsd),
			staff: usdToMicro(perYear.staffUsd),
		},
		// Decimals with at most six places are parsed like money: exactly, in millionths.
		busyMicroWatts: usdToMicro(power.busyWattsPerGpu),
		idleMicroWatts: usdToMicro(power.idleWattsPerGpu),
		pueMillionths: usdToMicro(power.pue),
	};
}

function partsUntil(plan: Plan, calendar: Calendar, atMs: number): CardParts {
	const year = yearOf(calendar, atMs);
	const { perYear } = plan;
	return {
		depreciationMicroUsd: plan.depreciations.reduce((sum, d) => sum + writtenOffMicroUsd(d, calendar, atMs), 0n),
		rackMicroUsd: yearlyUntil(perYear.rack, year),
		networkMicroUsd: yearlyUntil(perYear.network, year),
		supportMicroUsd: yearlyUntil(perYear.support, year),
		staffMicroUsd: yearlyUntil(perYear.staff, year),
	};
}

function sumOf(parts: CardParts): bigint {
	return parts.depreciationMicroUsd + parts.rackMicroUsd + parts.networkMicroUsd + parts.supportMicroUsd + parts.staffMicroUsd;
}

interface YearPosition {
	yearsBefore: bigint;
	elapsedMs: bigint;
	/** 8,760 or 8,784 hours. */
	lengthMs: bigint;
}

/** Whole years are exact; within a year the amount is spread evenly over its hours, 24 more in a leap year. */
function yearlyUntil(microUsdPerYear: bigint, { yearsBefore, elapsedMs, lengthMs }: YearPosition): bigint {
	return yearsBefore * microUsdPerYear + mulDivFloor(microUsdPerYear, elapsedMs, lengthMs).quotient;
}

function yearOf(calendar: Calendar, atMs: number): YearPosition {
	const year = new Date(dayNumberOf(calendar, atMs) * DAY_MS).getUTCFullYear();
	const startMs = dayStartMs(calendar, Date.UTC(year, 0, 1) / DAY_MS);
	const endMs = dayStartMs(calendar, Date.UTC(year + 1, 0, 1) / DAY_MS);
	return { yearsBefore: BigInt(year - 1970), elapsedMs: BigInt(atMs - startMs), lengthMs: BigInt(endMs - startMs) };
}
