import type { Charge, ChargeDimensions, ChargeKind } from "#server/domain/charge.ts";
import { assert } from "#server/kernel/assert.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { type Amounts, type ChargeDraft, difference, NO_AMOUNTS, negated } from "./amounts.ts";
import { type BillingTerms, billableMs } from "./billing-terms.ts";
import { bucketStartMs, type Interval, nextBucketStartMs, splitAtHours } from "./calendar.ts";
import { footprintOfGpus, type PowerFacts } from "./carbon.ts";
import { type Commitment, coveredMs, machineCostUntil } from "./commitment.ts";
import { type DiskUsage, diskCostUntil } from "./disk.ts";
import type { Calendar } from "./zone.ts";

/** Price of one machine from `fromMs`. The list price is the on-demand price where known. */
export interface PriceStep {
	fromMs: number;
	microUsdPerHour: bigint;
	listMicroUsdPerHour: bigint;
}

/** The cause of a charge: exactly one of instanceId, allocationId and poolId is set. */
export type ChargeCause = Pick<Charge, "jobId" | "attemptId" | "instanceId" | "allocationId" | "poolId">;

/** The kind of a machine's time from `fromMs` until the next phase. */
export interface Phase {
	fromMs: number;
	kind: Extract<ChargeKind, "boot" | "staging" | "compute">;
}

/** One machine paid by the hour, from launch to end (null: still running). */
export interface Usage {
	startMs: number;
	endMs: number | null;
	/** Ascending by fromMs; the first applies from the start, whatever its fromMs. */
	prices: readonly PriceStep[];
	terms: BillingTerms;
	/** Ascending by fromMs; the first applies from the start. Absent: all time is compute. */
	phases?: readonly Phase[] | undefined;
	/** The commitment that pays for this machine's time. Its cost is amortised; use is not billed. */
	commitment?: Commitment | undefined;
	/** The machine's disk, for the machine's whole life. Absent: no disk with a known price. */
	disk?: DiskUsage | undefined;
	/** The ledger's calendar: charges are split at its midnights. Absent: UTC. */
	calendar?: Calendar | undefined;
	gpus: number;
	power: PowerFacts;
	dimensions: Omit<ChargeDimensions, "kind">;
	cause: ChargeCause;
	/** It was stopped in this time (toMs null: still), and cost its disk alone. Only machines with one price and no commitment. */
	stopped?: { fromMs: number; toMs: number | null } | undefined;
	/** The machine had no job before `untilMs`: that time is `kept_warm`, and belongs to no team. Absent: it always had its job. */
	warm?: { untilMs: number } | undefined;
}

export interface Metered {
	charges: ChargeDraft[];
	/** Time up to which the usage is charged. */
	meteredUntilMs: number;
}

const MS_PER_HOUR = 3_600_000n;

/**
 * Charges from the time already metered (null: none) to now or the usage's end, whichever is earlier: one per UTC hour
 * and phase, and one per hour of the disk. Every amount is the difference of two running totals, so the sum does not
 * depend on when the usage is metered. An end learned late, before the metered time, is corrected by adjustments of
 * the opposite sign.
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

/**
 * Hourly adjustments that bring a usage, charged up to `untilMs`, to its currently known prices: a price may be
 * learned after its time was charged. `posted` is the ledger's amount for the machine's time, by start of the hour.
 * Adjusts money only, not time or footprint.
 */
export function correctUsage(usage: Usage, posted: ReadonlyMap<number, bigint>, untilMs: number): ChargeDraft[] {
	const hourOf = (atMs: number) => bucketStartMs("hour", atMs, usage.calendar);
	const missing = new Map([...posted].map(([hour, microUsd]) => [hour, -microUsd]));
	const examples = new Map<number, ChargeDraft>();
	for (const charge of chargesBetween(usage, { fromMs: usage.startMs, toMs: Math.max(usage.startMs, untilMs) })) {
		const hour = hourOf(charge.periodStartMs);
		missing.set(hour, (missing.get(hour) ?? 0n) + charge.effectiveMicroUsd);
		examples.set(hour, charge);
	}
	return [...missing].flatMap(([hour, microUsd]): ChargeDraft[] => {
		if (microUsd === 0n) return [];
		const example = examples.get(hour);
		const piece = example
			? { fromMs: example.periodStartMs, toMs: example.periodEndMs }
			: { fromMs: hour, toMs: nextBucketStartMs("hour", hour, usage.calendar) };
		return [
			{
				...draftOf(partAt(usage, piece.fromMs), "adjustment", piece),
				...{ ...NO_AMOUNTS, contractedMicroUsd: microUsd, effectiveMicroUsd: microUsd, billedMicroUsd: microUsd },
				correction: "price_learnt_late",
			},
		];
	});
}

/** The reversal of a charge, as its own row. */
export function reversed(charge: ChargeDraft): ChargeDraft {
	return { ...charge, ...negated(charge), correction: "end_learnt_late", dimensions: { ...charge.dimensions, kind: "adjustment" } };
}

function chargesBetween(usage: Usage, { fromMs, toMs }: Interval): ChargeDraft[] {
	const cutMs = Math.min(toMs, Math.max(fromMs, usage.warm?.untilMs ?? fromMs));
	const warm = fromMs < cutMs ? chargesOfPart(partAt(usage, fromMs), { fromMs, toMs: cutMs }) : [];
	return [
		...warm.map((charge): ChargeDraft => ({ ...charge, dimensions: { ...charge.dimensions, kind: "kept_warm" } })),
		...chargesOfPart(usage, { fromMs: cutMs, toMs }),
	];
}

/** The usage with the team and job that this moment belongs to. */
function partAt(usage: Usage, atMs: number): Usage {
	if (usage.warm === undefined || atMs >= usage.warm.untilMs) return usage;
	const { dimensions, cause } = usage;
	return {
		...usage,
		dimensions: { ...dimensions, team: "", project: "", class: "" },
		cause: { ...cause, jobId: null, attemptId: null },
	};
}

function chargesOfPart(usage: Usage, interval: Interval): ChargeDraft[] {
	const { phases = ALL_COMPUTE } = usage;
	const time = runningParts(usage, interval)
		.flatMap((part) => cutAtPhases(phases, part, usage.calendar))
		.map(({ kind, ...piece }) => ({
			...draftOf(usage, kind, piece),
			...difference(totalAt(usage, piece.toMs), totalAt(usage, piece.fromMs)),
			...footprintOfGpus(usage.power, usage.gpus, piece),
		}));
	return usage.disk ? [...time, ...diskCharges(usage, usage.disk, interval)] : time;
}

/** The interval without the time in which the machine was stopped. */
function runningParts({ stopped }: Usage, { fromMs, toMs }: Interval): Interval[] {
	if (!stopped) return [{ fromMs, toMs }];
	const before = { fromMs, toMs: Math.min(toMs, stopped.fromMs) };
	const after = { fromMs: Math.max(fromMs, stopped.toMs ?? toMs), toMs };
	return [before, after].filter((part) => part.fromMs < part.toMs);
}

/** Time in which the machine ran, from its start to `atMs`. */
function runningMs({ startMs, stopped }: Usage, atMs: number): number {
	if (!stopped) return atMs - startMs;
	const stoppedMs = Math.min(atMs, stopped.toMs ?? atMs) - Math.min(atMs, Math.max(startMs, stopped.fromMs));
	return atMs - startMs - Math.max(0, stoppedMs);
}

/** Excludes disk energy: no figure for it is available. */
function diskCharges(usage: Usage, disk: DiskUsage, interval: Interval): ChargeDraft[] {
	const costAt = (atMs: number): bigint => diskCostUntil(disk, usage.startMs, atMs - usage.startMs);
	return splitAtHours(interval, usage.calendar).map((piece) => {
		const microUsd = costAt(piece.toMs) - costAt(piece.fromMs);
		const money = { listMicroUsd: microUsd, contractedMicroUsd: microUsd, effectiveMicroUsd: microUsd, billedMicroUsd: microUsd };
		return { ...draftOf(usage, "storage", piece), ...NO_AMOUNTS, ...money };
	});
}

function draftOf({ dimensions, cause }: Usage, kind: ChargeKind, { fromMs, toMs }: Interval): Omit<ChargeDraft, keyof Amounts> {
	return {
		...{ periodStartMs: fromMs, periodEndMs: toMs, dimensions: { ...dimensions, kind } },
		...{ ...cause, billLineId: null, correction: null },
	};
}

const ALL_COMPUTE: readonly Phase[] = [{ fromMs: 0, kind: "compute" }];

/** Splits an interval into pieces, each within one hour and one phase. */
function cutAtPhases(phases: readonly Phase[], { fromMs, toMs }: Interval, calendar?: Calendar): (Interval & Pick<Phase, "kind">)[] {
	return phases.flatMap(({ kind, fromMs: beginsMs }, i) => {
		const part = { fromMs: i === 0 ? fromMs : Math.max(fromMs, beginsMs), toMs: Math.min(toMs, phases[i + 1]?.fromMs ?? toMs) };
		return splitAtHours(part, calendar).map((piece) => ({ ...piece, kind }));
	});
}

/** Total money and GPU time of the usage up to `atMs`. The footprint is computed per hour. */
function totalAt(usage: Usage, atMs: number): Amounts {
	const elapsedMs = runningMs(usage, atMs);
	assert(!usage.stopped || (usage.prices.length === 1 && !usage.commitment), "a machine that was stopped has one price");
	const paid = costOfSteps(usage.prices, usage.startMs, billableMs(usage.terms, elapsedMs));
	const covered = usage.commitment ? coveredTotals(usage, usage.commitment, atMs) : null;
	const gpus = BigInt(usage.gpus);
	return {
		...NO_AMOUNTS,
		gpuMs: gpus * BigInt(elapsedMs),
		listMicroUsd: paid.listMicroUsd,
		contractedMicroUsd: paid.microUsd,
		// Without a commitment, effective and billed cost equal the contracted price. Bills add credits later.
		effectiveMicroUsd: paid.microUsd,
		billedMicroUsd: paid.microUsd,
		...covered,
	};
}

/** Covered time costs its share of the commitment, which is billed separately. Other time costs its own price. */
function coveredTotals(usage: Usage, commitment: Commitment, atMs: number): Pick<Amounts, "effectiveMicroUsd" | "billedMicroUsd"> {
	const { startMs } = usage;
	const outsideMs = atMs - startMs - coveredMs(commitment, { fromMs: startMs, toMs: atMs });
	const outside = costOfSteps(usage.prices, startMs, billableMs(usage.terms, outsideMs)).microUsd;
	return {
		effectiveMicroUsd: outside + machineCostUntil(commitment, atMs) - machineCostUntil(commitment, startMs),
		billedMicroUsd: outside,
	};
}

/** Sums time × price over all steps exactly and rounds down once. With one step this equals kernel/money's costOfElapsed. */
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
