import type { ChargeDimensions } from "#server/domain/charge.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type Amounts, type ChargeDraft, NO_AMOUNTS } from "./amounts.ts";
import { bucketStartMs, nextBucketStartMs } from "./calendar.ts";
import { type StoragePrice, storageCostUntil } from "./storage-cost.ts";
import type { Calendar } from "./zone.ts";

/** A result in a store, with its prices, earliest first. Times are UTC ms. */
export interface StoredResult {
	artifactId: string;
	jobId: string;
	/** Without the kind. */
	dimensions: Omit<ChargeDimensions, "kind">;
	bytes: bigint;
	prices: readonly StoragePrice[];
	createdMs: number;
	/** When its files were deleted; null: not deleted. */
	deletedMs: number | null;
	/** Time up to which it is charged; null: not yet charged. */
	meteredUntilMs: number | null;
}

/**
 * Charges for the days of the ledger's calendar that ended since the last charge, and for the rest of a deleted
 * result: at most `daysMax` charges. A day's charge is in the last hour of the day, because no charge crosses an hour.
 * A day without a whole micro-dollar has no charge; the running total carries the remainder.
 */
export function meterStored(
	result: StoredResult,
	nowMs: number,
	{ calendar, daysMax }: { calendar: Calendar; daysMax: number },
): { charges: ChargeDraft[]; meteredUntilMs: number } {
	const { bytes, prices, createdMs, deletedMs } = result;
	const endMs = deletedMs ?? bucketStartMs("day", nowMs, calendar);
	const total = (atMs: number) => storageCostUntil(prices, bytes, createdMs, atMs);
	const charges: ChargeDraft[] = [];
	let atMs = Math.max(createdMs, result.meteredUntilMs ?? createdMs);
	for (let days = 0; atMs < endMs && days < daysMax; days++) {
		const toMs = Math.min(nextBucketStartMs("day", atMs, calendar), endMs);
		const microUsd = total(toMs) - total(atMs);
		const hourMs = Math.floor((toMs - 1) / HOUR_MS) * HOUR_MS;
		if (microUsd > 0n) charges.push(storedCharge(result, "storage", { fromMs: Math.max(atMs, hourMs), toMs }, microUsd));
		atMs = toMs;
	}
	return { charges, meteredUntilMs: atMs };
}

/** A charge for a stored result. It belongs to its job, but to no attempt. */
export function storedCharge(
	{ artifactId, jobId, dimensions }: Pick<StoredResult, "artifactId" | "jobId" | "dimensions">,
	kind: "storage" | "egress",
	{ fromMs, toMs }: { fromMs: number; toMs: number },
	microUsd: bigint,
): ChargeDraft {
	const amounts: Amounts = {
		...NO_AMOUNTS,
		...{ listMicroUsd: microUsd, contractedMicroUsd: microUsd, effectiveMicroUsd: microUsd, billedMicroUsd: microUsd },
	};
	return {
		...{ periodStartMs: fromMs, periodEndMs: toMs, dimensions: { ...dimensions, kind }, jobId, attemptId: null },
		...{ instanceId: null, allocationId: null, poolId: null, billLineId: null, artifactId, correction: null },
		...amounts,
	};
}
