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

/** A busy and an idle GPU-hour under a card, µ$: the share of a month's fixed cost, and the power of some time. */
export interface GpuHourPrices {
	busyMicroUsd: bigint;
	idleMicroUsd: bigint;
}

type Hours = ReadonlyMap<number, ElectricityHourPrice>;

/**
 * A card with the known data of its electricity: the fixed cost is spread over the month of `atMs`, power is the mean of
 * `powerOf`.
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
		// A market that pays for power makes no one richer by running jobs without end.
		return whole > 0n ? whole : 0n;
	};
	return { busyMicroUsd: price("busy"), idleMicroUsd: price("idle") };
}

/** Horizon of hourly prices ahead: as much as a day-ahead market publishes. */
const AHEAD_MS = DAY_MS;

/** The current hour and the following ones. From whole hours, so that the prices stay the same within an hour. */
function hoursAhead(nowMs: number): Interval {
	const fromMs = bucketStartMs("hour", nowMs);
	return { fromMs, toMs: fromMs + AHEAD_MS };
}

type PoolSize = { siteId: string; id: string; nodes: number; gpusPerNode: number };

/**
 * Cost of a busy GPU-hour of each pool by the card in force, by `site/pool`, with the power of the next 24 hours; pools without
 * a card are omitted. Cost: one row per pool, and 24 per site where known, by index.
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

/** The sites among these with hourly electricity prices in busyPricesNow, and how many hours. Cost: as there. */
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

/** For each pool the card in force. */
async function cardsNow(db: DbOrTx, nowMs: number) {
	return db
		.selectDistinctOn([rateCard.siteId, rateCard.poolId], { siteId: rateCard.siteId, poolId: rateCard.poolId, card: rateCard.card })
		.from(rateCard)
		.where(sql`${rateCard.effectiveFrom} <= ${new Date(nowMs).toISOString()}::timestamptz`)
		.orderBy(rateCard.siteId, rateCard.poolId, sql`${rateCard.effectiveFrom} desc, ${rateCard.createdAt} desc, ${rateCard.id} desc`);
}
