import type { ChargeDimensions } from "#server/domain/charge.ts";
import { costOfElapsed } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type Amounts, addScaled, type ChargeDraft, difference, NO_AMOUNTS } from "./amounts.ts";
import { bucketStartMs, cutAtHours, type Interval } from "./calendar.ts";
import { footprintOfSteps, type PoolPower, type PowerStep } from "./carbon.ts";
import { reversed } from "./meter-usage.ts";
import { type CardCost, cutAtCards, type EffectiveCard, type Load, shareOfSlot } from "./owned-cost.ts";
import type { Calendar } from "./zone.ts";

/**
 * Owned hardware costs the same used or idle, but for its power. Every slot of a pool is priced on its own time line
 * (a running total since 1970): its share of the pool's rate card, or the flat price where no card holds. Used and idle time add up to
 * what is owned, to the micro-dollar, in every interval.
 */
export interface OwnedPool {
	poolId: string;
	/** All GPUs owned, those out of service too. */
	gpus: number;
	/** The price where no card holds. */
	microUsdPerGpuHour: bigint;
	/** In order of time; before the first one the flat price holds. */
	cards: readonly EffectiveCard[];
	/** What a kWh cost in these UTC hours, micro-dollars by the hour's start; in all others the card's price holds. */
	electricityHours?: ReadonlyMap<number, bigint>;
	/** Of the ledger: charges are cut at its midnights. */
	calendar: Calendar;
	ownedSinceMs: number;
	/** Up to where idle time is charged; null: from ownedSinceMs on. */
	idleMeteredUntilMs: number | null;
	/** Before the first of powerSteps. */
	power: PoolPower;
	/** As the rate cards say; in order of time. */
	powerSteps?: readonly PowerStep[];
	place: Pick<ChargeDimensions, "siteId" | "provider" | "region" | "accelerator">;
}

/** GPUs of the pool in the hands of one attempt. */
export interface OwnedUse {
	allocationId: string;
	jobId: string;
	attemptId: string;
	slots: readonly number[];
	/** The flat price when it was placed; a later one does not change it. Counts where no card holds. */
	microUsdPerGpuHour: bigint;
	startMs: number;
	endMs: number | null;
	meteredUntilMs: number | null;
	work: Pick<ChargeDimensions, "team" | "project" | "class">;
}

export interface MeteredPool {
	charges: ChargeDraft[];
	idleMeteredUntilMs: number;
	/** allocationId → up to where it is charged now, for every use that was given. */
	usesMeteredUntilMs: Map<string, number>;
}

/**
 * Charges for all uses and for the idle rest of a pool up to `untilMs`, one for each cause and UTC hour.
 * `uses` must hold every allocation that overlaps the time since idleMeteredUntilMs or is not metered to its end.
 * While more GPUs are in use than the pool has (it shrank), nothing is idle.
 */
export function meterPool(pool: OwnedPool, uses: readonly OwnedUse[], untilMs: number): MeteredPool {
	const fromMs = idleDoneMs(pool);
	const toMs = Math.max(fromMs, untilMs);
	const metered = uses.map((use) => ({ use, ...meterOwnedUse(pool, use, untilMs) }));
	const idle = idleOf(pool, uses, { fromMs, toMs }).map(({ piece, amounts }) => chargeOfIdle(pool, piece, amounts));
	return {
		charges: [...metered.flatMap((m) => m.charges), ...idle],
		idleMeteredUntilMs: toMs,
		usesMeteredUntilMs: new Map(metered.map((m) => [m.use.allocationId, m.meteredUntilMs])),
	};
}

/** What of the pool no use took, by hour; the uses count from their start to their end, or on and on. */
export function idleOf(pool: OwnedPool, uses: readonly OwnedUse[], { fromMs, toMs }: Interval): { piece: Interval; amounts: Amounts }[] {
	const busy = new Map<number, Amounts>();
	for (const use of uses) {
		for (const piece of cutAtHours({ fromMs: Math.max(use.startMs, fromMs), toMs: Math.min(use.endMs ?? toMs, toMs) }, pool.calendar)) {
			const hour = Math.max(bucketStartMs("hour", piece.fromMs, pool.calendar), fromMs);
			busy.set(hour, addScaled(busy.get(hour) ?? NO_AMOUNTS, amountsOf(pool, idleSlots(pool, use), "idle", piece), 1n));
		}
	}
	return cutAtHours({ fromMs, toMs }, pool.calendar).flatMap((piece) => {
		const owned = amountsOf(pool, { slots: "all", microUsdPerGpuHour: pool.microUsdPerGpuHour }, "idle", piece);
		const amounts = difference(owned, busy.get(piece.fromMs) ?? NO_AMOUNTS);
		const some = amounts.gpuMs > 0n || (amounts.gpuMs === 0n && amounts.effectiveMicroUsd !== 0n);
		return some ? [{ piece, amounts }] : [];
	});
}

/**
 * Charges for one use up to `untilMs` or its end. Where the pool's idle time is charged already, the idle charge is
 * moved with it: a use that was not known then takes idle time away, an end that was learnt late gives it back.
 */
export function meterOwnedUse(pool: OwnedPool, use: OwnedUse, untilMs: number): { charges: ChargeDraft[]; meteredUntilMs: number } {
	const doneMs = Math.max(use.startMs, use.meteredUntilMs ?? use.startMs);
	const endMs = use.endMs === null ? null : Math.max(use.endMs, use.startMs);
	const back = endMs !== null && endMs < doneMs;
	const toMs = back ? endMs : Math.max(doneMs, endMs === null ? untilMs : Math.min(untilMs, endMs));
	const moved = { fromMs: Math.min(doneMs, toMs), toMs: Math.max(doneMs, toMs) };
	const used = cutAtHours(moved, pool.calendar).map((piece) => chargeOfUse(pool, use, piece));
	const idleMoved = { fromMs: Math.max(moved.fromMs, pool.ownedSinceMs), toMs: Math.min(moved.toMs, idleDoneMs(pool)) };
	const idle = cutAtHours(idleMoved, pool.calendar).map((piece) =>
		chargeOfIdle(pool, piece, amountsOf(pool, idleSlots(pool, use), "idle", piece)),
	);
	return { charges: back ? [...used.map(reversed), ...idle] : [...used, ...idle.map(reversed)], meteredUntilMs: toMs };
}

export function idleDoneMs(pool: OwnedPool): number {
	return Math.max(pool.ownedSinceMs, pool.idleMeteredUntilMs ?? pool.ownedSinceMs);
}

export function chargeOfUse(pool: OwnedPool, use: OwnedUse, piece: Interval): ChargeDraft {
	return {
		periodStartMs: piece.fromMs,
		periodEndMs: piece.toMs,
		dimensions: { ...use.work, ...pool.place, capacityType: "owned", kind: "compute" },
		jobId: use.jobId,
		attemptId: use.attemptId,
		instanceId: null,
		allocationId: use.allocationId,
		poolId: null,
		billLineId: null,
		correction: null,
		...amountsOf(pool, use, "busy", piece),
	};
}

export function chargeOfIdle(pool: OwnedPool, piece: Interval, amounts: Amounts): ChargeDraft {
	return {
		periodStartMs: piece.fromMs,
		periodEndMs: piece.toMs,
		dimensions: { team: "", project: "", class: "", ...pool.place, capacityType: "owned", kind: "idle" },
		jobId: null,
		attemptId: null,
		instanceId: null,
		allocationId: null,
		poolId: pool.poolId,
		billLineId: null,
		correction: null,
		...amounts,
	};
}

interface Slots {
	slots: readonly number[] | "all";
	/** The flat price, where no card holds. */
	microUsdPerGpuHour: bigint;
}

/** The slots of a use as they would cost without it. */
function idleSlots(pool: OwnedPool, use: OwnedUse): Slots {
	return { slots: use.slots, microUsdPerGpuHour: pool.microUsdPerGpuHour };
}

/** No one invoices owned hardware, so nothing is billed; its use still has its effective cost. */
function amountsOf(pool: OwnedPool, slots: Slots, load: Load, piece: Interval): Amounts {
	const gpus = slots.slots === "all" ? pool.gpus : slots.slots.length;
	const microUsd = microUsdOf(pool, slots, load, piece);
	return {
		gpuMs: BigInt(gpus) * BigInt(piece.toMs - piece.fromMs),
		listMicroUsd: microUsd,
		contractedMicroUsd: microUsd,
		effectiveMicroUsd: microUsd,
		billedMicroUsd: 0n,
		...footprintOfSteps({ base: pool.power, steps: pool.powerSteps ?? [] }, load, gpus, piece),
	};
}

function microUsdOf(pool: OwnedPool, { slots, microUsdPerGpuHour }: Slots, load: Load, piece: Interval): bigint {
	const gpus = BigInt(slots === "all" ? pool.gpus : slots.length);
	let sum = 0n;
	for (const { fromMs, toMs, cost } of cutAtCards(pool.cards, piece)) {
		if (cost === null) {
			sum += gpus * (costOfElapsed(microUsdPerGpuHour, toMs) - costOfElapsed(microUsdPerGpuHour, fromMs));
			continue;
		}
		sum += gpus * powerOf(pool, cost, load, { fromMs, toMs });
		const [later, earlier] = [cost.fixedUntil(toMs), cost.fixedUntil(fromMs)];
		if (slots === "all") sum += later - earlier;
		else for (const slot of slots) sum += shareOfSlot(later, slot, pool.gpus) - shareOfSlot(earlier, slot, pool.gpus);
	}
	return sum;
}

/** Of one GPU, within one UTC hour. An hour with its own price is its own running total, so that its parts add up too. */
function powerOf({ electricityHours }: OwnedPool, cost: CardCost, load: Load, { fromMs, toMs }: Interval): bigint {
	const hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
	const price = electricityHours?.get(hourMs);
	if (price === undefined) return cost.powerUntil(load, toMs) - cost.powerUntil(load, fromMs);
	return cost.powerAt(load, price, toMs - hourMs) - cost.powerAt(load, price, fromMs - hourMs);
}
