import type { Charge, ChargeDimensions } from "#server/domain/charge.ts";
import { assert } from "#server/kernel/assert.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { type Amounts, type ChargeDraft, difference, negated } from "./amounts.ts";
import { type BillingTerms, billableMs } from "./billing-terms.ts";
import { cutAtHours, type Interval } from "./calendar.ts";
import { footprintOfElapsed, type PowerFacts } from "./carbon.ts";

/** From `fromMs` on, one machine costs this much; what it lists at is the on-demand price where that is known. */
export interface PriceStep {
	fromMs: number;
	microUsdPerHour: bigint;
	listMicroUsdPerHour: bigint;
}

/** Where a charge comes from: exactly one of instanceId, allocationId and poolId is set. */
export type ChargeCause = Pick<Charge, "jobId" | "attemptId" | "instanceId" | "allocationId" | "poolId">;

/** One machine that is paid by the hour, from its launch to its end (null: it still runs). */
export interface Usage {
	startMs: number;
	endMs: number | null;
	/** Ascending by fromMs; the first one holds from the start on, whatever its fromMs. */
	prices: readonly PriceStep[];
	terms: BillingTerms;
	gpus: number;
	power: PowerFacts;
	dimensions: Omit<ChargeDimensions, "kind">;
	cause: ChargeCause;
}

export interface Metered {
	charges: ChargeDraft[];
	/** Up to where the usage is charged now. */
	meteredUntilMs: number;
}

const MS_PER_HOUR = 3_600_000n;

/**
 * The charges between what was metered already (null: nothing) and now or the usage's end, whichever comes first, one
 * for each UTC hour. Every amount is the difference of two running totals, so the charges of a usage add up to the
 * same whatever the moments at which it is metered.
 * An end that was learnt late, behind what is metered, is corrected by adjustments of the opposite sign.
 */
export function meterUsage(usage: Usage, meteredUntilMs: number | null, nowMs: number): Metered {
	const doneMs = Math.max(usage.startMs, meteredUntilMs ?? usage.startMs);
	const endMs = usage.endMs === null ? null : Math.max(usage.endMs, usage.startMs);
	if (endMs !== null && endMs < doneMs) {
		return { charges: chargesBetween(usage, { fromMs: endMs, toMs: doneMs }).map(reversed), meteredUntilMs: endMs };
	}
	const untilMs = Math.max(doneMs, endMs === null ? nowMs : Math.min(nowMs, endMs));
	return { charges: chargesBetween(usage, { fromMs: doneMs, toMs: untilMs }), meteredUntilMs: untilMs };
}

/** The same charge taken back, as a row of its own. */
export function reversed(charge: ChargeDraft): ChargeDraft {
	return { ...charge, ...negated(charge), dimensions: { ...charge.dimensions, kind: "adjustment" } };
}

function chargesBetween(usage: Usage, interval: Interval): ChargeDraft[] {
	return cutAtHours(interval).map((piece) => ({
		periodStartMs: piece.fromMs,
		periodEndMs: piece.toMs,
		dimensions: { ...usage.dimensions, kind: "compute" },
		...usage.cause,
		...difference(totalAt(usage, piece.toMs), totalAt(usage, piece.fromMs)),
		carbonQuality: "estimated",
	}));
}

/** All that the usage has cost by `atMs`. */
function totalAt(usage: Usage, atMs: number): Amounts {
	const elapsedMs = atMs - usage.startMs;
	const paid = costOfSteps(usage.prices, usage.startMs, billableMs(usage.terms, elapsedMs));
	const footprint = footprintOfElapsed(usage.power, elapsedMs);
	const gpus = BigInt(usage.gpus);
	return {
		gpuMs: gpus * BigInt(elapsedMs),
		listMicroUsd: paid.listMicroUsd,
		// No commitments or credits yet: what is agreed, what it effectively costs and what is billed are one amount.
		contractedMicroUsd: paid.microUsd,
		effectiveMicroUsd: paid.microUsd,
		billedMicroUsd: paid.microUsd,
		energyMilliWh: gpus * footprint.energyMilliWh,
		emissionsMilligrams: footprint.emissionsMilligrams === null ? null : gpus * footprint.emissionsMilligrams,
	};
}

/** Time × price over all steps is summed exactly and rounded down once; with one step this is kernel/money's costOfElapsed. */
function costOfSteps(prices: readonly PriceStep[], startMs: number, billedMs: number): { microUsd: bigint; listMicroUsd: bigint } {
	assert(prices.length > 0, "a usage needs a price");
	let paid = 0n;
	let listed = 0n;
	for (const [i, step] of prices.entries()) {
		assert(step.microUsdPerHour > 0n, "a price of 0 is an error, never free");
		const fromMs = i === 0 ? 0 : Math.min(Math.max(step.fromMs - startMs, 0), billedMs);
		const next = prices[i + 1];
		const toMs = next ? Math.min(Math.max(next.fromMs - startMs, 0), billedMs) : billedMs;
		assert(toMs >= fromMs, "price steps must be in order of time");
		const ms = BigInt(toMs - fromMs);
		paid += ms * step.microUsdPerHour;
		listed += ms * step.listMicroUsdPerHour;
	}
	return { microUsd: mulDivFloor(paid, 1n, MS_PER_HOUR).quotient, listMicroUsd: mulDivFloor(listed, 1n, MS_PER_HOUR).quotient };
}
