import { sql } from "drizzle-orm";
import { bucketStartMs, type Interval, nextBucketStartMs } from "#server/accounting/calendar.ts";
import { cardCost, cardParts, type Load, powerPerHour } from "#server/accounting/owned-cost.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { rateCard } from "#server/db/schema/rate-card.ts";
import type { ElectricityAhead } from "#server/domain/home-electricity.ts";
import type { OwnedRateCard } from "#server/domain/rate-card.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { type ElectricityHourPrice, electricityHoursOfSites } from "./electricity-hours.ts";

/** Cost of a busy and an idle GPU-hour under a rate card, µ$: a share of the month's fixed cost, and power over some period. */
export interface GpuHourPrices {
	busyMicroUsd: bigint;
	idleMicroUsd: bigint;
}

type Hours = ReadonlyMap<number, ElectricityHourPrice>;

/**
 * Prices under a card with its known electricity data: the fixed cost is spread over the month of `atMs`, and power is the
 * mean over `powerOf`.
 */
interface Priced {
	card: OwnedRateCard;
	gpus: number;
	atMs: number;
	powerOf: Interval;
	hours: Hours;
}

export function gpuHourPrices({ card, gpus, atMs, powerOf, hours }: Priced, calendar: Calendar): GpuHourPrices {
	const month = { fromMs: bucketStartMs("month", atMs, calendar), toMs: nextBucketStartMs("month", atMs, calendar) };
	const fixed = Object.values(cardParts(card, calendar, month)).reduce((sum: bigint, part: bigint) => sum + part, 0n);
	const gpuMs = BigInt(Math.max(gpus, 1)) * BigInt(month.toMs - month.fromMs);
	const share = mulDivFloor(fixed, BigInt(HOUR_MS), gpuMs).quotient;
	const cost = cardCost(card, calendar);
	const prices = new Map([...hours].map(([hourMs, { microUsdPerKwh }]) => [hourMs, microUsdPerKwh]));
	const price = (load: Load) => {
		const whole = share + powerPerHour(cost, load, prices, powerOf);
		// Negative power prices must not make running jobs profitable.
		return whole > 0n ? whole : 0n;
	};
	return { busyMicroUsd: price("busy"), idleMicroUsd: price("idle") };
}

/** Horizon of future hourly prices: as much as a day-ahead market publishes. */
const AHEAD_MS = DAY_MS;

/** The current hour and the following ones. Starts at a whole hour, so that prices stay the same within the hour. */
function hoursAhead(nowMs: number): Interval {
	const fromMs = bucketStartMs("hour", nowMs);
	return { fromMs, toMs: fromMs + AHEAD_MS };
}

type PoolSize = { siteId: string; id: string; nodes: number; gpusPerNode: number };

/**
 * Price of a busy GPU-hour of each pool under its current card, by `site/pool`, with the power price of the next 24 hours. Pools
 * without a card are omitted. Cost: reads one row per pool, and 24 per site where known, by index.
 */
export async function busyPricesNow(db: DbOrTx, pools: readonly PoolSize[], nowMs: number): Promise<Map<string, bigint>> {
	const cards = await cardsNow(db, nowMs);
	if (cards.length === 0) return new Map();
	const calendar = await ledgerCalendar(db);
	const powerOf = hoursAhead(nowMs);
	const known = await electricityHoursOfSites(db, [...new Set(cards.map(({ siteId }) => siteId))], powerOf);
	return new Map(
		cards.flatMap(({ siteId, poolId, card }) => {
			const pool = pools.find((p) => p.siteId === siteId && p.id === poolId);
			if (!pool) return [];
			const priced = { card, gpus: pool.nodes * pool.gpusPerNode, atMs: nowMs, powerOf, hours: known.get(siteId) ?? new Map() };
			return [[`${siteId}/${poolId}`, gpuHourPrices(priced, calendar).busyMicroUsd] as const];
		}),
	);
}

/** The sites for which busyPricesNow uses hourly electricity prices, with the number of hours. Cost: as for busyPricesNow. */
export async function electricityAhead(db: DbOrTx, siteIds: readonly string[], nowMs: number): Promise<ElectricityAhead[]> {
	const powerOf = hoursAhead(nowMs);
	const known = await electricityHoursOfSites(db, siteIds, powerOf);
	if (known.size === 0) return [];
	const withCard = new Set((await cardsNow(db, nowMs)).map(({ siteId }) => siteId));
	return [...known].flatMap(([siteId, hours]) =>
		withCard.has(siteId)
			? [{ siteId, hours: AHEAD_MS / HOUR_MS, hoursPriced: hours.size, sources: [...new Set([...hours.values()].map((h) => h.source))] }]
			: [],
	);
}

/** The current card of each pool. */
async function cardsNow(db: DbOrTx, nowMs: number) {
	return db
		.selectDistinctOn([rateCard.siteId, rateCard.poolId], { siteId: rateCard.siteId, poolId: rateCard.poolId, card: rateCard.card })
		.from(rateCard)
		.where(sql`${rateCard.effectiveFrom} <= ${new Date(nowMs).toISOString()}::timestamptz`)
		.orderBy(rateCard.siteId, rateCard.poolId, sql`${rateCard.effectiveFrom} desc, ${rateCard.createdAt} desc, ${rateCard.id} desc`);
}
