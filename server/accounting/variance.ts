import { VARIANCE_CAUSES, type VarianceCause } from "../domain/variance-cause.ts";
import type { CapacityType } from "../domain/vocabulary.ts";

/**
 * Usage of one combination over one period. All amounts in a comparison have the same unit: micro-dollars of effective
 * cost, or mg CO2e.
 */
export interface VarianceCell {
	/** "" for usage without a team, such as idle hardware. */
	team: string;
	project: string;
	siteId: string;
	region: string;
	capacityType: CapacityType;
	accelerator: string;
	kind: string;
	/** Owned capacity that no job used. */
	idle: boolean;
	gpuMs: bigint;
	amount: bigint;
	/** The part of the two sums from work that ended without a result. */
	lostGpuMs: bigint;
	lostAmount: bigint;
}

export interface VariancePart<Cause extends string = VarianceCause> {
	cause: Cause;
	team: string;
	project: string;
	amount: bigint;
	/** GPU time of the two periods compared. */
	beforeGpuMs: bigint;
	afterGpuMs: bigint;
}

export interface Variance<Cause extends string = VarianceCause> {
	beforeAmount: bigint;
	afterAmount: bigint;
	/** Adds up to after − before. */
	byCause: Record<Cause, bigint>;
	/** Largest effect first, without zero effects. */
	parts: VariancePart<Cause>[];
}

/** Kinds with a duration and an hourly price. Others are plain amounts. */
const TIMED: ReadonlySet<string> = new Set(["compute", "boot", "staging"]);

interface Sum {
	gpuMs: bigint;
	amount: bigint;
}
type Sums = Map<string, Sum>;

/**
 * Splits the change between two periods into causes. A line of work is a team's project; its useful hours are separate
 * from lost ones. For each line of work: hours at the old average price; then the effect of its mix of capacity types
 * at their old averages; then of its mix of regions and models at their old prices; then price. Every division rounds
 * once and the next cause takes the remainder, so that the parts add up exactly.
 */
export function explainVariance(before: readonly VarianceCell[], after: readonly VarianceCell[]): Variance {
	const lines = new Map<string, { team: string; project: string; before: VarianceCell[]; after: VarianceCell[] }>();
	for (const [period, cells] of [["before", before] as const, ["after", after] as const]) {
		for (const cell of cells) {
			const key = JSON.stringify([cell.team, cell.project]);
			const line = lines.get(key) ?? { team: cell.team, project: cell.project, before: [], after: [] };
			line[period].push(cell);
			lines.set(key, line);
		}
	}
	const parts = [...lines.values()].flatMap((line) => partsOf(line));
	return toVariance(VARIANCE_CAUSES, parts, total(before), total(after));
}

/** The sums by cause, and the parts in order of size. */
export function toVariance<Cause extends string>(
	causes: readonly Cause[],
	parts: readonly VariancePart<Cause>[],
	beforeAmount: bigint,
	afterAmount: bigint,
): Variance<Cause> {
	const sumOf = (cause: Cause) => total(parts.filter((part) => part.cause === cause));
	return {
		...{ beforeAmount, afterAmount },
		byCause: Object.fromEntries(causes.map((cause) => [cause, sumOf(cause)])) as Record<Cause, bigint>,
		parts: parts.filter((p) => p.amount !== 0n).sort((a, b) => Number(abs(b.amount) - abs(a.amount))),
	};
}

type Line = { team: string; project: string; before: readonly VarianceCell[]; after: readonly VarianceCell[] };

function partsOf({ team, project, before, after }: Line): VariancePart[] {
	const part = (cause: VarianceCause, amount: bigint, hours: [bigint, bigint]): VariancePart => ({
		...{ cause, team, project, amount },
		...{ beforeGpuMs: hours[0], afterGpuMs: hours[1] },
	});
	const change = (cause: VarianceCause, keep: (c: VarianceCell) => boolean, of: (c: VarianceCell) => Sum): VariancePart => {
		const [a, b] = [addUp(before.filter(keep).map(of)), addUp(after.filter(keep).map(of))];
		return part(cause, b.amount - a.amount, [a.gpuMs, b.gpuMs]);
	};
	return [
		change("idle", (c) => c.idle, whole),
		change("other", (c) => !c.idle && !TIMED.has(c.kind), whole),
		change("lost", isTimed, lost),
		...usefulParts(before.filter(isTimed), after.filter(isTimed), part),
	];
}

const isTimed = (c: VarianceCell): boolean => !c.idle && TIMED.has(c.kind);
const whole = ({ gpuMs, amount }: VarianceCell): Sum => ({ gpuMs, amount });
const lost = ({ lostGpuMs, lostAmount }: VarianceCell): Sum => ({ gpuMs: lostGpuMs, amount: lostAmount });
const useful = (c: VarianceCell): Sum => ({ gpuMs: c.gpuMs - c.lostGpuMs, amount: c.amount - c.lostAmount });

type MakePart = (cause: VarianceCause, amount: bigint, hours: [bigint, bigint]) => VariancePart;

function usefulParts(before: readonly VarianceCell[], after: readonly VarianceCell[], part: MakePart): VariancePart[] {
	const [a, b] = [addUp(before.map(useful)), addUp(after.map(useful))];
	const hours: [bigint, bigint] = [a.gpuMs, b.gpuMs];
	if (a.gpuMs <= 0n) return [part("started", b.amount - a.amount, hours)];
	if (b.gpuMs <= 0n) return [part("ended", b.amount - a.amount, hours)];
	// Cost of the new hours at the old line's average, at the old averages of their capacity, and at their old prices.
	const atAverage = scale(a, b.gpuMs);
	const atCapacity = costAtOldPrices(before, after, (c) => c.capacityType);
	const atPlaces = costAtOldPrices(before, after, (c) => JSON.stringify([c.capacityType, c.siteId, c.region, c.accelerator]));
	return [
		part("hours", atAverage - a.amount, hours),
		part("capacity", atCapacity - atAverage, hours),
		part("place", atPlaces - atCapacity, hours),
		part("price", b.amount - atPlaces, hours),
	];
}

/** The new hours at their group's old price; a new group has no old price, so it uses its own. */
function costAtOldPrices(before: readonly VarianceCell[], after: readonly VarianceCell[], groupOf: (c: VarianceCell) => string): bigint {
	const [old, now] = [groupSums(before, groupOf), groupSums(after, groupOf)];
	let sum = 0n;
	for (const [key, group] of now) {
		const then = old.get(key);
		sum += then && then.gpuMs > 0n ? scale(then, group.gpuMs) : group.amount;
	}
	return sum;
}

function groupSums(cells: readonly VarianceCell[], groupOf: (c: VarianceCell) => string): Sums {
	const sums: Sums = new Map();
	for (const cell of cells) sums.set(groupOf(cell), addUp([sums.get(groupOf(cell)) ?? { gpuMs: 0n, amount: 0n }, useful(cell)]));
	return sums;
}

const scale = ({ gpuMs, amount }: Sum, newGpuMs: bigint): bigint => (amount * newGpuMs) / gpuMs;
const abs = (n: bigint): bigint => (n < 0n ? -n : n);
const total = (items: readonly { amount: bigint }[]): bigint => items.reduce((sum, { amount }) => sum + amount, 0n);

function addUp(sums: readonly Sum[]): Sum {
	return sums.reduce((all, sum) => ({ gpuMs: all.gpuMs + sum.gpuMs, amount: all.amount + sum.amount }), { gpuMs: 0n, amount: 0n });
}
