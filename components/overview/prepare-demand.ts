import type { inferRouterOutputs } from "@trpc/server";
import type { DemandInput, DemandSeries } from "#components/charts/demand.ts";
import type { StepPoint } from "#components/charts/step-series.ts";
import { CAPACITY_WORD } from "#components/place/place.tsx";
import type { MarkFill } from "#components/ui/meter.tsx";
import type { AppRouter } from "#server/api/trpc/router.ts";
import type { CapacityType } from "#server/domain/vocabulary.ts";

export type Demand = inferRouterOutputs<AppRouter>["overview"]["demand"];

/** Provider display names. */
export const PROVIDER_NAMES: Record<string, string> = {
	local: "Owned",
	slurm: "Slurm",
	kubernetes: "Kubernetes",
	aws: "AWS",
	azure: "Azure",
	gcp: "Google",
};

/**
 * Converts demand for the chart: all owned sites as one series below the line, each cloud and capacity type above, more
 * expensive types lower. A bucket's value is drawn from the bucket's start.
 */
export function prepareDemandInput(demand: Demand, homeName: string): DemandInput {
	const stepMs = (demand.toMs - demand.fromMs) / Math.max(1, demand.points.length);
	const series = (pick: (placed: readonly number[]) => number): StepPoint[] =>
		squeezed(demand.points.map((p) => [p.atMs - stepMs, pick(p.placed)] as const));
	const at = demand.places.map((place, index) => ({ ...place, index }));
	const owned = at.filter((p) => p.capacityType === "owned");
	const clouds = at.filter((p) => p.capacityType !== "owned");
	const spots = new Set<string>();
	return {
		fromMs: demand.fromMs,
		toMs: demand.toMs,
		nowMs: demand.toMs,
		ownedGpus: demand.ownedGpus,
		owned: { id: "owned", label: homeName, fill: "owned", points: series((p) => owned.reduce((sum, o) => sum + (p[o.index] ?? 0), 0)) },
		cloud: clouds.map((place): DemandSeries => {
			const label = `${PROVIDER_NAMES[place.provider] ?? place.provider} ${CAPACITY_WORD[place.capacityType]}`;
			return {
				id: `${place.siteId}-${place.capacityType}`,
				label,
				fill: fillOf(place.capacityType, spots, place.provider),
				points: series((p) => p[place.index] ?? 0),
			};
		}),
		waiting: squeezed(demand.points.map((p) => [p.atMs - stepMs, p.waiting] as const)),
	};
}

/** Adjacent spot areas of two providers are hatched in opposite directions to show their border. */
function fillOf(capacity: CapacityType, spots: Set<string>, provider: string): MarkFill {
	if (capacity !== "spot") return capacity === "owned" ? "owned" : capacity;
	spots.add(provider);
	return [...spots].indexOf(provider) % 2 === 0 ? "spot" : "spot_alt";
}

/** Keeps only changes, so that a quiet day has few points. */
function squeezed(points: readonly (readonly [number, number])[]): StepPoint[] {
	return points.filter(([, value], i) => i === 0 || points[i - 1]?.[1] !== value);
}

/** True if anything ran or was queued in the range. */
export function hasDemand(demand: Demand): boolean {
	return demand.points.some((p) => p.wanted > 0);
}
