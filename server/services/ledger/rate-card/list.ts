import { and, asc, desc, eq } from "drizzle-orm";
import { bucketStartMs, nextBucketStartMs } from "#server/accounting/calendar.ts";
import { cardParts } from "#server/accounting/owned-cost.ts";
import type { Db } from "#server/db/client.ts";
import { rateCard } from "#server/db/schema/rate-card.ts";
import { pool } from "#server/db/schema/site.ts";
import type { OwnedRateCard } from "#server/domain/rate-card.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { electricityHoursOf } from "#server/services/pricing/owned/electricity-hours.ts";
import { gpuHourPrices } from "#server/services/pricing/owned/gpu-hour-prices.ts";
import type { PoolKey } from "#server/services/pricing/owned/pool-cards.ts";
import { unknownPool } from "./set.ts";

export interface RateCardView {
	id: string;
	effectiveFrom: string;
	card: OwnedRateCard;
	message: string;
	author: string;
	createdAt: string;
}

export interface PoolRates {
	siteId: string;
	poolId: string;
	accelerator: string;
	gpus: number;
	/** Price per GPU-hour where no card applies; money as decimal strings of micro-dollars. */
	flatMicroUsdPerGpuHour: string;
	/** Card in effect now; null when there is none yet. */
	current: RateCardView | null;
	/** The current month at the rates of the current card; null without one. */
	month: PoolMonth | null;
	/** Past, current and future cards, newest first. */
	history: RateCardView[];
}

/** Fixed cost of a whole month under the current card, and a GPU-hour's share of it including power. */
export interface PoolMonth {
	from: string;
	to: string;
	depreciationMicroUsd: string;
	rackMicroUsd: string;
	networkMicroUsd: string;
	supportMicroUsd: string;
	staffMicroUsd: string;
	/** Hours in the month, and hours with their own electricity price; in the others the card's price applies. */
	hours: number;
	hoursPriced: number;
	/** Source of those prices. */
	electricitySources: string[];
	/** Fixed cost by GPU-hours owned, plus power: at those prices, and at the card's price in the other hours. */
	busyMicroUsdPerGpuHour: string;
	idleMicroUsdPerGpuHour: string;
}

/** @throws SpillwayError `forbidden`, `not_found`. */
export async function readPoolRates(ctx: ServiceContext, key: PoolKey): Promise<PoolRates> {
	authorize(ctx, "rates:read", null);
	const [row] = await ctx.db
		.select()
		.from(pool)
		.where(and(eq(pool.siteId, key.siteId), eq(pool.id, key.poolId)));
	if (!row) throw unknownPool(key);
	const rows = await ctx.db
		.select()
		.from(rateCard)
		.where(and(eq(rateCard.siteId, key.siteId), eq(rateCard.poolId, key.poolId)))
		.orderBy(desc(rateCard.effectiveFrom), desc(rateCard.createdAt), desc(rateCard.id));
	const history = rows.map(toView);
	const nowMs = ctx.clock.nowMs();
	const current = history.find((c) => Date.parse(c.effectiveFrom) <= nowMs) ?? null;
	const gpus = row.nodes * row.gpusPerNode;
	return {
		...key,
		accelerator: row.accelerator,
		gpus,
		flatMicroUsdPerGpuHour: row.microUsdPerGpuHour.toString(),
		current,
		month: current && (await monthOf(ctx.db, key.siteId, { card: current.card, gpus, nowMs })),
		history,
	};
}

/** Every owned pool with its current card, for a list. */
export async function listPoolRates(ctx: ServiceContext): Promise<PoolRates[]> {
	authorize(ctx, "rates:read", null);
	const keys = await ctx.db.select({ siteId: pool.siteId, poolId: pool.id }).from(pool).orderBy(asc(pool.siteId), asc(pool.id));
	return Promise.all(keys.map((key) => readPoolRates(ctx, key)));
}

async function monthOf(
	db: Db,
	siteId: string,
	{ card, gpus, nowMs }: { card: OwnedRateCard; gpus: number; nowMs: number },
): Promise<PoolMonth> {
	const calendar = await ledgerCalendar(db);
	const month = { fromMs: bucketStartMs("month", nowMs, calendar), toMs: nextBucketStartMs("month", nowMs, calendar) };
	const parts = cardParts(card, calendar, month);
	const known = await electricityHoursOf(db, siteId, month);
	const prices = gpuHourPrices({ card, gpus, atMs: nowMs, powerOf: month, hours: known }, calendar);
	return {
		from: new Date(month.fromMs).toISOString(),
		to: new Date(month.toMs).toISOString(),
		depreciationMicroUsd: parts.depreciationMicroUsd.toString(),
		rackMicroUsd: parts.rackMicroUsd.toString(),
		networkMicroUsd: parts.networkMicroUsd.toString(),
		supportMicroUsd: parts.supportMicroUsd.toString(),
		staffMicroUsd: parts.staffMicroUsd.toString(),
		hours: Math.round((month.toMs - month.fromMs) / HOUR_MS),
		hoursPriced: known.size,
		electricitySources: [...new Set([...known.values()].map(({ source }) => source))],
		busyMicroUsdPerGpuHour: prices.busyMicroUsd.toString(),
		idleMicroUsdPerGpuHour: prices.idleMicroUsd.toString(),
	};
}

function toView(row: typeof rateCard.$inferSelect): RateCardView {
	return {
		id: row.id,
		effectiveFrom: row.effectiveFrom.toISOString(),
		card: row.card,
		message: row.message,
		author: row.author,
		createdAt: row.createdAt.toISOString(),
	};
}
