import { CARBON_CAUSES, type CarbonCause, type VarianceCause } from "../domain/variance-cause.ts";
import { explainVariance, toVariance, type Variance, type VarianceCell, type VariancePart } from "./variance.ts";

/** Usage of one combination over one period. Operational emissions are location-based. */
export interface CarbonCell extends Omit<VarianceCell, "amount" | "lostAmount"> {
	energyMilliWh: bigint;
	/** For the GPU time with known operational emissions. */
	operationalMilligrams: bigint;
	operationalUnknownGpuMs: bigint;
	/** For the GPU time with a known manufacturing figure. */
	embodiedMilligrams: bigint;
	embodiedUnknownGpuMs: bigint;
}

type CarbonPart = VariancePart<CarbonCause>;

/**
 * Splits the change in operational and embodied emissions between two periods into causes, by the same rule as for
 * money. First, the change at the old grid intensities: each line of work's new energy times the old emissions per kWh
 * of that line at that place. A place that is new to a line of work keeps its own intensity. The grid is the rest.
 * Only GPU time with known figures counts. Amounts in mg CO2e; the parts add up exactly.
 */
export function explainCarbonVariance(before: readonly CarbonCell[], after: readonly CarbonCell[]): Variance<CarbonCause> {
	const oldGrid = gridSums(before);
	const [operationalBefore, operationalAfter] = [before.map(operational), after.map(operational)];
	const atOldGrid = after.map((cell) => atIntensity(cell, oldGrid.get(gridKey(cell))));
	const [embodiedBefore, embodiedAfter] = [before.map(embodied), after.map(embodied)];
	const parts = [
		...explainVariance(operationalBefore, atOldGrid).parts.map((part) => renamed(part, "power")),
		...gridParts(operationalBefore, operationalAfter, atOldGrid),
		...explainVariance(embodiedBefore, embodiedAfter).parts.map((part) => renamed(part, "embodied")),
	];
	const total = (cells: readonly VarianceCell[]) => cells.reduce((sum, { amount }) => sum + amount, 0n);
	return toVariance(
		CARBON_CAUSES,
		merge(parts),
		total(operationalBefore) + total(embodiedBefore),
		total(operationalAfter) + total(embodiedAfter),
	);
}

const operational = (cell: CarbonCell): VarianceCell => known(cell, cell.operationalMilligrams, cell.operationalUnknownGpuMs);
const embodied = (cell: CarbonCell): VarianceCell => known(cell, cell.embodiedMilligrams, cell.embodiedUnknownGpuMs);

const least = (a: bigint, b: bigint) => (a < b ? a : b);

/** Excludes time without a figure. Lost work has the same emissions per GPU-hour as the rest of its cell. */
function known(cell: CarbonCell, amount: bigint, unknownGpuMs: bigint): VarianceCell {
	const { team, project, siteId, region, capacityType, accelerator, kind, idle } = cell;
	const gpuMs = cell.gpuMs - unknownGpuMs;
	const lostGpuMs = gpuMs <= 0n ? 0n : least(cell.lostGpuMs, gpuMs);
	return {
		...{ team, project, siteId, region, capacityType, accelerator, kind, idle },
		...{ gpuMs, amount, lostGpuMs, lostAmount: lostGpuMs === 0n ? 0n : (amount * lostGpuMs) / gpuMs },
	};
}

interface GridSum {
	energyMilliWh: bigint;
	milligrams: bigint;
}

const gridKey = ({ team, project, siteId, region, idle }: Pick<VarianceCell, "team" | "project" | "siteId" | "region" | "idle">): string =>
	JSON.stringify([team, project, siteId, region, idle]);

/** Energy without a known intensity cannot be separated within a cell, so such cells are left out. */
function gridSums(cells: readonly CarbonCell[]): Map<string, GridSum> {
	const sums = new Map<string, GridSum>();
	for (const cell of cells) {
		if (cell.operationalUnknownGpuMs !== 0n) continue;
		const sum = sums.get(gridKey(cell)) ?? { energyMilliWh: 0n, milligrams: 0n };
		sums.set(gridKey(cell), {
			energyMilliWh: sum.energyMilliWh + cell.energyMilliWh,
			milligrams: sum.milligrams + cell.operationalMilligrams,
		});
	}
	return sums;
}

function atIntensity(after: CarbonCell, old: GridSum | undefined): VarianceCell {
	const cell = operational(after);
	const comparable = after.operationalUnknownGpuMs === 0n && cell.amount !== 0n && old && old.energyMilliWh > 0n && old.milligrams > 0n;
	if (!comparable) return cell;
	const amount = (old.milligrams * after.energyMilliWh) / old.energyMilliWh;
	return { ...cell, amount, lostAmount: (cell.lostAmount * amount) / cell.amount };
}

/** By line of work: emissions of its energy beyond the old intensities. */
function gridParts(before: readonly VarianceCell[], after: readonly VarianceCell[], atOldGrid: readonly VarianceCell[]): CarbonPart[] {
	const parts = new Map<string, CarbonPart>();
	const add = ({ team, project }: VarianceCell, amount: bigint, beforeGpuMs: bigint, afterGpuMs: bigint): void => {
		const key = JSON.stringify([team, project]);
		const sum = parts.get(key) ?? { cause: "grid", team, project, amount: 0n, beforeGpuMs: 0n, afterGpuMs: 0n };
		const gpuMs = { beforeGpuMs: sum.beforeGpuMs + beforeGpuMs, afterGpuMs: sum.afterGpuMs + afterGpuMs };
		parts.set(key, { ...sum, ...gpuMs, amount: sum.amount + amount });
	};
	for (const cell of before) add(cell, 0n, cell.gpuMs, 0n);
	for (const [i, cell] of after.entries()) add(cell, cell.amount - (atOldGrid[i]?.amount ?? cell.amount), 0n, cell.gpuMs);
	return [...parts.values()];
}

/** Capacity types only differ in emissions through their place. */
function renamed(part: VariancePart, price: "power" | "embodied"): CarbonPart {
	const cause = (from: VarianceCause): CarbonCause => (from === "price" ? price : from === "capacity" ? "place" : from);
	return { ...part, cause: cause(part.cause) };
}

/** One part per cause and line of work. Operational and embodied emissions cover the same GPU time if both are known. */
function merge(parts: readonly CarbonPart[]): CarbonPart[] {
	const merged = new Map<string, CarbonPart>();
	const most = (a: bigint, b: bigint) => (a > b ? a : b);
	for (const part of parts) {
		const key = JSON.stringify([part.cause, part.team, part.project]);
		const other = merged.get(key) ?? { amount: 0n, beforeGpuMs: 0n, afterGpuMs: 0n };
		const gpuMs = { beforeGpuMs: most(other.beforeGpuMs, part.beforeGpuMs), afterGpuMs: most(other.afterGpuMs, part.afterGpuMs) };
		merged.set(key, { ...part, ...gpuMs, amount: other.amount + part.amount });
	}
	return [...merged.values()];
}
