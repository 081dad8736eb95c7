import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { Interval } from "./calendar.ts";

/** Machines of one type, paid for over a term whether they run or not. */
export interface Commitment extends Interval {
	id: string;
	siteId: string;
	/** A reservation guarantees the machines; a commitment only makes them cheaper. Both are amortized the same way. */
	kind: "reservation" | "commitment";
	/** null: every region of the site. */
	region: string | null;
	instanceType: string;
	accelerator: string;
	instances: number;
	/** For all its machines together. */
	upfrontMicroUsd: bigint;
	/** For all its machines together, per hour, used or not. */
	hourlyMicroUsd: bigint;
}

/** Cost of the commitment up to an instant: the upfront payment spread evenly over its term, plus the elapsed hours. */
export function amortizedUntil(commitment: Commitment, atMs: number): bigint {
	const { fromMs, toMs, upfrontMicroUsd, hourlyMicroUsd } = commitment;
	const elapsed = BigInt(Math.min(Math.max(atMs, fromMs), toMs) - fromMs);
	return (
		mulDivFloor(upfrontMicroUsd, elapsed, BigInt(toMs - fromMs)).quotient + mulDivFloor(hourlyMicroUsd, elapsed, BigInt(HOUR_MS)).quotient
	);
}

/** The same for one of its machines, rounded down. The remainder counts as unused. */
export function machineCostUntil(commitment: Commitment, atMs: number): bigint {
	return mulDivFloor(amortizedUntil(commitment, atMs), 1n, BigInt(commitment.instances)).quotient;
}

/** How much of a machine's time the commitment pays for. */
export function coveredMs({ fromMs, toMs }: Commitment, time: Interval): number {
	return Math.max(0, Math.min(toMs, time.toMs) - Math.max(fromMs, time.fromMs));
}
