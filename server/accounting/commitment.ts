import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { Interval } from "./calendar.ts";

/** Machines of one type that are paid for whether they run or not, for a time. */
export interface Commitment extends Interval {
	id: string;
	siteId: string;
	/** A reservation keeps the machines; a commitment only makes them cheaper. Both are amortised alike. */
	kind: "reservation" | "commitment";
	/** null: every region of the site. */
	region: string | null;
	instanceType: string;
	accelerator: string;
	instances: number;
	/** Of all its machines together. */
	upfrontMicroUsd: bigint;
	/** Of all its machines together, for each hour, used or not. */
	hourlyMicroUsd: bigint;
}

/** What the commitment has cost by an instant: what was paid upfront spread evenly over its time, and the hours gone by. */
export function amortisedUntil(commitment: Commitment, atMs: number): bigint {
	const { fromMs, toMs, upfrontMicroUsd, hourlyMicroUsd } = commitment;
	const elapsed = BigInt(Math.min(Math.max(atMs, fromMs), toMs) - fromMs);
	return (
		mulDivFloor(upfrontMicroUsd, elapsed, BigInt(toMs - fromMs)).quotient + mulDivFloor(hourlyMicroUsd, elapsed, BigInt(HOUR_MS)).quotient
	);
}

/** The same for one of its machines, rounded down: what is left over is part of what no one used. */
export function seatUntil(commitment: Commitment, atMs: number): bigint {
	return mulDivFloor(amortisedUntil(commitment, atMs), 1n, BigInt(commitment.instances)).quotient;
}

/** How long of a machine's time the commitment pays. */
export function coveredMs({ fromMs, toMs }: Commitment, time: Interval): number {
	return Math.max(0, Math.min(toMs, time.toMs) - Math.max(fromMs, time.fromMs));
}
