import type { ChargeDimensions } from "#server/domain/charge.ts";
import { costOfElapsed } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type Amounts, addScaled, type ChargeDraft, difference, NO_AMOUNTS } from "./amounts.ts";
import { bucketStartMs, type Interval, splitAtHours } from "./calendar.ts";
import { footprintOfSteps, type PoolPower, type PowerStep } from "./carbon.ts";
import { reversed } from "./meter-usage.ts";
import { type CardCost, type EffectiveCard, type Load, shareOfSlot, splitAtCards } from "./owned-cost.ts";
import type { Calendar } from "./zone.ts";

/**
 * Owned hardware costs the same used or idle, except for its power. Each slot of a pool is priced on its own running
 * total since 1970: its share of the pool's rate card, or the flat price when no card applies. Used and idle time add
 * up to the owned total, to the micro-dollar, in every interval.
 */
export interface OwnedPool {
	poolId: string;
	/** All owned GPUs, including those out of service. */
	gpus: number;
	/** The price when no card applies. */
	microUsdPerGpuHour: bigint;
	/** In order of time; before the first one the flat price applies. */
	cards: readonly EffectiveCard[];
	/** Price per kWh in these UTC hours, in micro-dollars by start of the hour; in all other hours the card's price applies. */
	electricityHours?: ReadonlyMap<number, bigint>;
	/** Of the ledger; charges are split at its midnights. */
	calendar: Calendar;
	ownedSinceMs: number;
	/** Time up to which idle time is charged; null: charge from ownedSinceMs. */
	idleMeteredUntilMs: number | null;
	/** Applies before the first of powerSteps. */
	power: PoolPower;
	/** From the rate cards, in order of time. */
	powerSteps?: readonly PowerStep[];
	place: Pick<ChargeDimensions, "siteId" | "provider" | "region" | "accelerator">;
}

/** GPUs of the pool held by one attempt. */
export interface OwnedUse {
	allocationId: string;
	jobId: string;
	attemptId: string;
	slots: readonly number[];
	/** The flat price at placement; later changes do not affect it. Applies when no card does. */
	microUsdPerGpuHour: bigint;
	startMs: number;
	endMs: number | null;
	meteredUntilMs: number | null;
	work: Pick<ChargeDimensions, "team" | "project" | "class">;
}

export interface MeteredPool {
	charges: ChargeDraft[];
	idleMeteredUntilMs: number;
	/** allocationId → time up to which it is now charged, for every given use. */
	usesMeteredUntilMs: Map<string, number>;
}

/**
 * Charges for all uses and the idle rest of a pool up to `untilMs`, one per cause and UTC hour. `uses` must contain
 * every allocation that overlaps the time since idleMeteredUntilMs or is not metered to its end. While more GPUs are
 * in use than the pool has (it shrank), nothing is idle.
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

/** Unused time of the pool by hour; uses count from their start to their end, or without end. */
export function idleOf(pool: OwnedPool, uses: readonly OwnedUse[], { fromMs, toMs }: Interval): { piece: Interval; amounts: Amounts }[] {
	const busy = new Map<number, Amounts>();
	for (const use of uses) {
		for (const piece of splitAtHours({ fromMs: Math.max(use.startMs, fromMs), toMs: Math.min(use.endMs ?? toMs, toMs) }, pool.calendar)) {
			const hour = Math.max(bucketStartMs("hour", piece.fromMs, pool.calendar), fromMs);
			busy.set(hour, addScaled(busy.get(hour) ?? NO_AMOUNTS, amountsOf(pool, idleSlots(pool, use), "idle", piece), 1n));
		}
	}
	return splitAtHours({ fromMs, toMs }, pool.calendar).flatMap((piece) => {
		const owned = amountsOf(pool, { slots: "all", microUsdPerGpuHour: pool.microUsdPerGpuHour }, "idle", piece);
		const amounts = difference(owned, busy.get(piece.fromMs) ?? NO_AMOUNTS);
		const some = amounts.gpuMs > 0n || (amounts.gpuMs === 0n && amounts.effectiveMicroUsd !== 0n);
		return some ? [{ piece, amounts }] : [];
	});
}

/**
 * Charges for one use up to `untilMs` or its end. If the pool's idle time is already charged, the idle charge is
 * adjusted with it: a newly known use reduces idle time, an end learned late adds it back.
 */
export function meterOwnedUse(pool: OwnedPool, use: OwnedUse, untilMs: number): { charges: ChargeDraft[]; meteredUntilMs: number } {
	const doneMs = Math.max(use.startMs, use.meteredUntilMs ?? use.startMs);
	const endMs = use.endMs === null ? null : Math.max(use.endMs, use.startMs);
	const back = endMs !== null && endMs < doneMs;
	const toMs = back ? endMs : Math.max(doneMs, endMs === null ? untilMs : Math.min(untilMs, endMs));
	const moved = { fromMs: Math.min(doneMs, toMs), toMs: Math.max(doneMs, toMs) };
	const used = splitAtHours(moved, pool.calendar).map((piece) => chargeOfUse(pool, use, piece));
	const idleMoved = { fromMs: Math.max(moved.fromMs, pool.ownedSinceMs), toMs: Math.min(moved.toMs, idleDoneMs(pool)) };
	const idle = splitAtHours(idleMoved, pool.calendar).map((piece) =>
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
	/** Used when no card applies. */
	microUsdPerGpuHour: bigint;
}

/** Cost of the slots of a use if they had been idle. */
function idleSlots(pool: OwnedPool, use: OwnedUse): Slots {
	return { slots: use.slots, microUsdPerGpuHour: pool.microUsdPerGpuHour };
}

/** No one invoices owned hardware, so its billed cost is 0; its use still has an effective cost. */
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
	for (const { fromMs, toMs, cost } of splitAtCards(pool.cards, piece)) {
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

/** For one GPU, within one UTC hour. An hour with its own price has its own running total, so that its parts add up too. */
function powerOf({ electricityHours }: OwnedPool, cost: CardCost, load: Load, { fromMs, toMs }: Interval): bigint {
	const hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
	const price = electricityHours?.get(hourMs);
	if (price === undefined) return cost.powerUntil(load, toMs) - cost.powerUntil(load, fromMs);
	return cost.powerAt(load, price, toMs - hourMs) - cost.powerAt(load, price, fromMs - hourMs);
}
