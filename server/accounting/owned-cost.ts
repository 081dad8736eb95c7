import type { OwnedRateCard } from "#server/domain/rate-card.ts";
import { MICRO_PER_USD, mulDivFloor, usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import type { Interval } from "./calendar.ts";
import { type Depreciation, depreciationOf, writtenOffMicroUsd } from "./depreciation.ts";
import { electricityOf } from "./electricity.ts";
import { type Calendar, dayNumberOf, dayStartMs } from "./zone.ts";

/**
 * What a pool costs under one rate card, as running totals in whole micro-dollars. Every term is rounded down once, and
 * the price of an interval is the difference of two totals, so parts of an interval add up to the interval.
 *
 * fixed: depreciation of all assets + rack, network, support and staff, used or not.
 * power: of one GPU: watts × PUE × $/kWh of the hour, at its load.
 */
export interface CardCost {
	/** Of the whole pool, since its assets came into service and since 1970. */
	fixedUntil(atMs: number): bigint;
	/** Of one GPU that bore this load all the time since 1970. */
	powerUntil(load: Load, atMs: number): bigint;
	/** Of one GPU that bore this load for so long at this price of a kWh, which may lie below zero. */
	powerAt(load: Load, microUsdPerKwh: bigint, ms: number): bigint;
	/** Of one GPU in an hour, in the mean of a week's hours. */
	powerPerHour(load: Load): bigint;
}

export type Load = "busy" | "idle";

/** A card that counts from an instant on, until the next one's. */
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

/** Instants that a card remembers: those of some transactions' charges. */
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
 * The power of one GPU for an hour in the mean of some time: hours with their own price (micro-dollars per kWh by their start)
 * at that price, all others at the mean of the card's week. Towards zero; below it where the market pays.
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

/** The interval in the parts that each lie under one card; `cost` is null where none holds yet. */
export function cutAtCards(cards: readonly EffectiveCard[], { fromMs, toMs }: Interval): (Interval & { cost: CardCost | null })[] {
	const parts: (Interval & { cost: CardCost | null })[] = [];
	const holding = [{ fromMs: Number.NEGATIVE_INFINITY, cost: null }, ...cards];
	for (const [i, card] of holding.entries()) {
		const part = { fromMs: Math.max(fromMs, card.fromMs), toMs: Math.min(toMs, holding[i + 1]?.fromMs ?? toMs) };
		if (part.fromMs < part.toMs) parts.push({ ...part, cost: card.cost });
	}
	return parts;
}

/**
 * The share of one slot of `gpus` in a pool's fixed cost: slot i of n pays floor((C + i) / n) of the running total C. The
 * shares of all slots add up to C exactly (Hermite's identity), and no two differ by more than a micro-dollar.
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
		// Decimals of at most six places are read as money is: exactly, in millionths.
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

/** Whole years are exact; within a year it is spread evenly over its hours; a leap year has 24 more. */
function yearlyUntil(microUsdPerYear: bigint, { yearsBefore, elapsedMs, lengthMs }: YearPosition): bigint {
	return yearsBefore * microUsdPerYear + mulDivFloor(microUsdPerYear, elapsedMs, lengthMs).quotient;
}

function yearOf(calendar: Calendar, atMs: number): YearPosition {
	const year = new Date(dayNumberOf(calendar, atMs) * DAY_MS).getUTCFullYear();
	const startMs = dayStartMs(calendar, Date.UTC(year, 0, 1) / DAY_MS);
	const endMs = dayStartMs(calendar, Date.UTC(year + 1, 0, 1) / DAY_MS);
	return { yearsBefore: BigInt(year - 1970), elapsedMs: BigInt(atMs - startMs), lengthMs: BigInt(endMs - startMs) };
}
