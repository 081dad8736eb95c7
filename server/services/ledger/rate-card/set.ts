import { and, eq, gt, gte, inArray, isNull, or, type SQL } from "drizzle-orm";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { bucketStartMs } from "#server/accounting/calendar.ts";
import { correctPool, type PostedMoney } from "#server/accounting/correct-pool.ts";
import { rateCardInput } from "#server/contract/inputs/rates.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { charge } from "#server/db/schema/charge.ts";
import { rateCard } from "#server/db/schema/rate-card.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { gridHoursOfPool, withGridHours } from "#server/services/pricing/energy/power-facts.ts";
import { withElectricityHours } from "#server/services/pricing/owned/electricity-hours.ts";
import { cardsOfPool, type PoolCard, type PoolKey } from "#server/services/pricing/owned/pool-cards.ts";
import { lockUses } from "../charge/lock-uses.ts";
import { type LockedPool, lockPool } from "../charge/meter-pools.ts";
import { postCharges } from "../charge/post-charges.ts";
import { readPosted } from "../charge/posted-money.ts";
import { effectiveFromMs, type RateCardInput, validateCard } from "./input.ts";

export interface Corrected {
	/** Existing charges, which are corrected by separate entries. */
	corrections: number;
	correctedMicroUsd: string;
}

export interface RateCardSet extends Corrected {
	id: string;
	effectiveFrom: string;
}

/** Maximum number of corrections per change: they are posted in one transaction. */
const CORRECTIONS_MAX = 200_000;

/**
 * Sets a pool's rate card from an instant on, until the next card. If the pool is already charged beyond that instant, the
 * difference is posted as corrections (`rate_card`) in the same transaction; nothing is rewritten.
 * @throws SpillwayError `forbidden`, `not_found`, `invalid_input`, `conflict` for a pool with autoscaled nodes,
 * `precondition_failed` when too much would be corrected.
 */
export async function setRateCard(ctx: ServiceContext, key: PoolKey, raw: RateCardInput): Promise<RateCardSet> {
	authorize(ctx, "rates:change", null);
	const input = rateCardInput.parse(raw);
	validateCard(input.card);
	if (input.card.power.measured !== undefined)
		throw new SpillwayError("invalid_input", "The field card.power.measured is read-only.", {
			fields: [{ path: "card.power.measured", message: "is set by measurements only" }],
			fix: "Remove it, and record measurements with: spillway rates measured SITE/POOL",
		});
	const cacheKey: object = ctx.db;
	return ctx.db.transaction(async (tx) => {
		const before = await lockPool(tx, key);
		if (!before) throw unknownPool(key);
		if (before.nodesToCome > 0)
			throw new SpillwayError("conflict", `The nodes of ${key.siteId}/${key.poolId} are added and removed by the cluster's autoscaler.`, {
				fix: "Rate cards are for pools of fixed size. Set a price per GPU-hour for this pool instead.",
			});
		const nowMs = ctx.clock.nowMs();
		const fromMs = effectiveFromMs(input.effectiveFrom, before.calendar, nowMs);
		const replaced = (await cardsOfPool(tx, key)).findLast((c) => c.effectiveFromMs <= fromMs) ?? null;
		const cards = [{ effectiveFromMs: fromMs, card: input.card }];
		const { ids, corrections } = await writeCards(tx, ctx, { key, before, cards, message: input.message, cacheKey });
		const id = defined(ids[0], "the card's id");
		await writeAudit(tx, ctx, {
			action: "rate_card.set",
			subject: `${key.siteId}/${key.poolId}`,
			before: replaced && { id: replaced.id, card: replaced.card },
			after: { id, effectiveFrom: new Date(fromMs).toISOString(), card: input.card, message: input.message },
		});
		return { id, effectiveFrom: new Date(fromMs).toISOString(), ...corrections };
	});
}

/**
 * Writes cards, earliest first, and corrects what is charged since the first of them takes effect. `before` is the pool, which this
 * transaction has locked.
 */
export async function writeCards(
	tx: Tx,
	ctx: ServiceContext,
	input: { key: PoolKey; before: LockedPool; cards: readonly Omit<PoolCard, "id">[]; message: string; cacheKey: object },
): Promise<{ ids: string[]; corrections: Corrected }> {
	const { key, before, cards, message, cacheKey } = input;
	const nowMs = ctx.clock.nowMs();
	const written = cards.map(({ effectiveFromMs, card }) => ({
		...{ id: newId("rate", nowMs), ...key, effectiveFrom: new Date(effectiveFromMs), card, message },
		...{ author: actorName(ctx.actor), createdAt: new Date(nowMs) },
	}));
	await tx.insert(rateCard).values(written);
	await notify(tx, { changes: [{ topic: "spend", id: null, team: null }] });
	const sinceMs = defined(cards[0], "a card").effectiveFromMs;
	return { ids: written.map(({ id }) => id), corrections: await correctSince(tx, { key, before, sinceMs, nowMs, cacheKey }) };
}

export function unknownPool(key: PoolKey): SpillwayError {
	return new SpillwayError("not_found", `Site "${key.siteId}" has no pool "${key.poolId}".`, { fix: "List pools with: spillway sites" });
}

interface Since {
	key: PoolKey;
	/** The pool before the change, locked by this transaction. */
	before: LockedPool;
	sinceMs: number;
	nowMs: number;
	cacheKey: object;
	/** Maps the hourly electricity prices known now to those known before; omitted: unchanged. */
	hoursBefore?: (hours: ReadonlyMap<number, bigint>) => ReadonlyMap<number, bigint>;
}

/** Posts the missing differences, so that everything charged since then has the current price. */
export async function correctSince(tx: Tx, since: Since): Promise<Corrected> {
	const corrections = await correctionsSince(tx, since);
	await postCharges(tx, corrections, since.nowMs);
	const corrected = corrections.reduce((sum, c) => sum + c.effectiveMicroUsd, 0n);
	return { corrections: corrections.length, correctedMicroUsd: corrected.toString() };
}

async function correctionsSince(tx: Tx, { key, before, sinceMs, nowMs, cacheKey, hoursBefore }: Since): Promise<ChargeDraft[]> {
	const pool = defined(await lockPool(tx, key), "pool");
	const fromMs = bucketStartMs("hour", sinceMs, pool.calendar);
	const uses = await lockUses(tx, meteredSince(key, fromMs));
	const grid = await gridHoursOfPool(tx, cacheKey, pool, uses, { fromMs, toMs: nowMs }, nowMs);
	const posted = await postedToPool(tx, key, fromMs);
	const now = await withElectricityHours(tx, pool, uses, { fromMs, toMs: nowMs });
	const hours = now.electricityHours ?? new Map<number, bigint>();
	const was = { ...before, electricityHours: hoursBefore?.(hours) ?? hours };
	const corrections = correctPool(withGridHours(now, grid), uses, posted, { sinceMs, was: withGridHours(was, grid) });
	if (corrections.length <= CORRECTIONS_MAX) return corrections;
	throw new SpillwayError(
		"precondition_failed",
		`From ${new Date(sinceMs).toISOString()} on this would correct ${corrections.length} entries; at most ${CORRECTIONS_MAX} are corrected at once.`,
		{ fix: "Use a later effective date." },
	);
}

/** Allocations charged beyond the instant; time not charged yet uses the new card anyway. */
function meteredSince({ siteId, poolId }: PoolKey, fromMs: number): SQL | undefined {
	return and(eq(allocation.siteId, siteId), eq(allocation.poolId, poolId), gt(allocation.meteredUntil, new Date(fromMs)));
}

/** Excludes refunds and corrections by bills, since they are not prices of the card. */
function postedToPool(tx: Tx, { siteId, poolId }: PoolKey, fromMs: number): Promise<PostedMoney[]> {
	return readPosted(
		tx,
		gte(charge.periodStart, new Date(fromMs)),
		eq(charge.siteId, siteId),
		eq(charge.capacityType, "owned"),
		or(eq(charge.poolId, poolId), eq(allocation.poolId, poolId)),
		or(isNull(charge.correction), inArray(charge.correction, ["end_learnt_late", "use_learnt_late", "rate_card"])),
	);
}
