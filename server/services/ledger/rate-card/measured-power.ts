import { and, eq, gt, lt } from "drizzle-orm";
import type { z } from "zod";
import type { OwnedUse } from "#server/accounting/meter-pool.ts";
import { measuredPowerInput } from "#server/contract/inputs/rates.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import type { OwnedRateCard } from "#server/domain/rate-card.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { cardsOfPool, type PoolCard, type PoolKey } from "#server/services/pricing/owned/pool-cards.ts";
import { lockUses } from "../charge/lock-uses.ts";
import { type LockedPool, lockPool } from "../charge/meter-pools.ts";
import { effectiveFromMs } from "./input.ts";
import { type Corrected, unknownPool, writeCards } from "./set.ts";

export type MeasuredPowerInput = z.input<typeof measuredPowerInput>;

export interface MeasuredPowerSet extends Corrected {
	/** The rate cards' estimates for the time. */
	estimatedKwh: string;
	/** The cards in effect during the time. */
	cards: { effectiveFrom: string; busyWattsPerGpu: string; idleWattsPerGpu: string }[];
}

/**
 * A ratio of measured to estimated energy beyond this, either way, indicates a wrong unit or another pool's meter rather than a wrong
 * estimate.
 */
const FACTOR_MAX = 5n;
/** µW × ms in a millionth of a kWh. */
const MICRO_KWH = 3_600_000_000n;

/**
 * Replaces estimates with a measurement. Both watts of every rate card in the time are multiplied by measured ÷ estimated energy, where the
 * estimate is `busy GPU time × busy watts + idle GPU time × idle watts` as charged. So busy and idle keep their ratio, and used + idle
 * energy equals the reading, to a millionth of a watt per GPU. Cards before and after that time do not change. Existing charges are
 * corrected in the same transaction. Repeating the same reading changes nothing.
 * @throws SpillwayError `forbidden`, `not_found`, `invalid_input`, `precondition_failed` when the time is not fully charged yet or has no
 * card.
 */
export async function setMeasuredPower(ctx: ServiceContext, key: PoolKey, raw: MeasuredPowerInput): Promise<MeasuredPowerSet> {
	authorize(ctx, "rates:change", null);
	const input = measuredPowerInput.parse(raw);
	const cacheKey: object = ctx.db;
	return ctx.db.transaction(async (tx) => {
		const pool = await lockPool(tx, key);
		if (!pool) throw unknownPool(key);
		const nowMs = ctx.clock.nowMs();
		const [fromMs, toMs] = [input.from, input.to].map((text) => effectiveFromMs(text, pool.calendar, nowMs)) as [number, number];
		const all = await cardsOfPool(tx, key);
		const cards = all.filter(({ effectiveFromMs: at }, i) => at < toMs && (all[i + 1]?.effectiveFromMs ?? toMs) > fromMs);
		requireChargedTime(pool, cards, { fromMs, toMs });
		const charged = and(lt(allocation.startedAt, new Date(toMs)), gt(allocation.meteredUntil, new Date(fromMs)));
		const uses = await lockUses(tx, and(eq(allocation.siteId, key.siteId), eq(allocation.poolId, key.poolId), charged));
		const parts = cards.map(({ card, effectiveFromMs: at }, i) => {
			const part = { fromMs: Math.max(fromMs, at), toMs: Math.min(toMs, cards[i + 1]?.effectiveFromMs ?? toMs) };
			return { ...part, card, estimated: estimateOf(card, pool.gpus, uses, part) };
		});
		const estimated = parts.reduce((sum, part) => sum + part.estimated, 0n);
		const measured = usdToMicro(input.kwh) * MICRO_KWH;
		const estimatedKwh = microToUsdText(estimated / MICRO_KWH);
		requirePlausible(measured, estimated, { kwh: input.kwh, estimatedKwh });
		const reading = { kwh: input.kwh, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
		const scaled = parts.map(({ card, fromMs: at }) => ({
			effectiveFromMs: at,
			card: { ...card, power: { ...card.power, ...scaledWatts(card, measured, estimated), measured: reading } },
		}));
		const after = all.some(({ effectiveFromMs: at }) => at === toMs)
			? []
			: [{ effectiveFromMs: toMs, card: defined(cards.at(-1), "the last card").card }];
		const written = { key, before: pool, cards: [...scaled, ...after], message: input.message, cacheKey };
		const { ids, corrections } = await writeCards(tx, ctx, written);
		const shown = scaled.map(({ effectiveFromMs: at, card: { power } }) => ({
			effectiveFrom: new Date(at).toISOString(),
			busyWattsPerGpu: power.busyWattsPerGpu,
			idleWattsPerGpu: power.idleWattsPerGpu,
		}));
		await writeAudit(tx, ctx, {
			action: "rate_card.measured",
			subject: `${key.siteId}/${key.poolId}`,
			before: { estimatedKwh },
			after: { ...reading, message: input.message, ids, cards: shown },
		});
		return { estimatedKwh, cards: shown, ...corrections };
	});
}

function requireChargedTime(pool: LockedPool, cards: readonly PoolCard[], { fromMs, toMs }: { fromMs: number; toMs: number }): void {
	if (fromMs >= toMs)
		throw new SpillwayError("invalid_input", "The measurement has no duration.", {
			fields: [{ path: "to", message: "must be after from" }],
		});
	const doneMs = pool.idleMeteredUntilMs ?? pool.ownedSinceMs;
	const firstMs = Math.max(pool.ownedSinceMs, cards[0]?.effectiveFromMs ?? Number.POSITIVE_INFINITY);
	if (fromMs >= firstMs && toMs <= doneMs) return;
	const known = firstMs < doneMs ? `from ${new Date(firstMs).toISOString()} to ${new Date(doneMs).toISOString()}` : "for no time yet";
	throw new SpillwayError("precondition_failed", `This pool has a rate card ${known}, but the measurement goes beyond it.`, {
		fix: "Use a time within it, or set a rate card for the past with: spillway rates set SITE/POOL -f FILE",
	});
}

function requirePlausible(measured: bigint, estimated: bigint, energy: { kwh: string; estimatedKwh: string }): void {
	if (estimated > 0n && measured <= estimated * FACTOR_MAX && measured * FACTOR_MAX >= estimated) return;
	const message =
		estimated === 0n
			? "The rate cards of the time say that its machines draw no power, so that what was measured cannot be shared out."
			: `${energy.kwh} kWh were measured where the rate cards give ${energy.estimatedKwh}: more than ${FACTOR_MAX} times as much, or less than a fifth.`;
	throw new SpillwayError("invalid_input", message, {
		fields: [{ path: "kwh", message: "must be the pool total in kWh, before PUE" }],
		fix: "Check that the meter belongs to this pool and reads kWh. If the rate card's watts are wrong, correct the card for that time first.",
	});
}

/** µW × ms of all GPUs of the pool during a time. */
function estimateOf(
	card: OwnedRateCard,
	gpus: number,
	uses: readonly OwnedUse[],
	{ fromMs, toMs }: { fromMs: number; toMs: number },
): bigint {
	const busyMs = uses.reduce((sum, { slots, startMs, endMs }) => {
		const ms = Math.min(endMs ?? toMs, toMs) - Math.max(startMs, fromMs);
		return sum + BigInt(Math.max(0, ms) * slots.length);
	}, 0n);
	const allMs = BigInt(gpus) * BigInt(toMs - fromMs);
	const idleMs = busyMs > allMs ? 0n : allMs - busyMs;
	return busyMs * usdToMicro(card.power.busyWattsPerGpu) + idleMs * usdToMicro(card.power.idleWattsPerGpu);
}

/** To the nearest millionth of a watt. */
function scaledWatts({ power }: OwnedRateCard, measured: bigint, estimated: bigint) {
	const scaled = (watts: string): string => microToUsdText((2n * usdToMicro(watts) * measured + estimated) / (2n * estimated));
	return { busyWattsPerGpu: scaled(power.busyWattsPerGpu), idleWattsPerGpu: scaled(power.idleWattsPerGpu) };
}
