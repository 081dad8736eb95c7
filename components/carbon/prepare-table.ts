import type { CarbonPage } from "#components/carbon/prepare-bars.ts";
import { BY_LABEL, type CarbonBy, type CarbonView, chargesOf } from "#components/carbon/range.ts";
import { type EnergyParts, shareOf } from "#components/emissions/quality.ts";
import type { BarPart } from "#components/ui/meter.tsx";
import { LABELS } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

type Sums = CarbonPage["groups"]["totals"];
type Side = Sums["owned"];

/** A row of the breakdown; amounts in milligrams of CO2e. */
export interface CarbonRow {
	id: string;
	kind: "group" | "idle" | "total";
	label: string;
	operationalMilligrams: bigint;
	embodiedMilligrams: bigint;
	totalMilligrams: bigint;
	/** Fraction of the total, 0 to 1. */
	share: number;
	gpuMs: bigint;
	/** null without GPU-hours. */
	milligramsPerGpuHour: bigint | null;
	/** Emissions or embodied figures are unknown for part of the GPU time. */
	incomplete: boolean;
	/** Data quality of the operational amount. */
	energy: EnergyParts;
	/** Link to the charges; null if there are none. */
	href: string | null;
	parts: BarPart[];
	/** Fraction of the longest bar, 0 to 1. */
	width: number;
}

export function perGpuHour(milligrams: bigint, gpuMs: bigint): bigint | null {
	return gpuMs > 0n ? (milligrams * BigInt(HOUR_MS)) / gpuMs : null;
}

/**
 * Groups, then idle hardware in its own row, then the total. Idle time is moved out of its group (owned, model or
 * none), so that the rows add up to the total exactly.
 */
export function prepareCarbonTable(groups: CarbonPage["groups"], view: CarbonView): CarbonRow[] {
	const { by } = view;
	const { totals } = groups;
	const used = groups.items
		.map((item) => ({ item, side: added(item.owned, item.cloud) }))
		.filter(({ side }) => side.gpuMs !== 0n || totalOf(side) !== 0n)
		.sort((a, b) => Number(totalOf(b.side) - totalOf(a.side)));
	const longest = [totalOf(totals.idle), ...used.map(({ side }) => totalOf(side))].reduce((a, b) => (b > a ? b : a), 1n);
	const rows = used.map(({ item, side }): CarbonRow => {
		const group = { dimension: by, key: item.key };
		const href = chargesOf(view, item.idle.gpuMs === 0n ? { group } : { group, withoutIdle: true });
		return { ...rowOf(`group:${item.key}`, "group", labelOf(by, item.key), side, totals, longest), href };
	});
	if (totals.idle.gpuMs > 0n || totalOf(totals.idle) !== 0n) {
		rows.push({ ...rowOf("idle", "idle", "Idle", totals.idle, totals, longest), href: chargesOf(view, { part: "idle" }) });
	}
	const all = { ...rowOf("total", "total", "Total", totals, totals, longest), href: totals.gpuMs === 0n ? null : chargesOf(view) };
	return [...rows, { ...all, share: totals.totalMilligrams > 0n ? 1 : 0, parts: [], width: 0 }];
}

function rowOf(id: string, kind: CarbonRow["kind"], label: string, side: Side, totals: Sums, longest: bigint): Omit<CarbonRow, "href"> {
	const total = totalOf(side);
	return {
		...{ id, kind, label, energy: side },
		incomplete: side.emissionsUnknownGpuMs > 0n || side.embodiedUnknownGpuMs > 0n,
		operationalMilligrams: side.operationalMilligrams,
		embodiedMilligrams: side.embodiedMilligrams,
		totalMilligrams: total,
		share: shareOf(total, totals.totalMilligrams),
		gpuMs: side.gpuMs,
		milligramsPerGpuHour: perGpuHour(total, side.gpuMs),
		parts: [
			{
				id: "operational",
				fill: kind === "idle" ? ("idle" as const) : ("carbon" as const),
				value: Number(side.operationalMilligrams),
				label: "operational",
			},
			{ id: "embodied", fill: "embodied" as const, value: Number(side.embodiedMilligrams), label: "manufacture" },
		].filter((part) => part.value > 0),
		width: shareOf(total, longest),
	};
}

const totalOf = (side: Side): bigint => side.operationalMilligrams + side.embodiedMilligrams;

function added(a: Side, b: Side): Side {
	return {
		gpuMs: a.gpuMs + b.gpuMs,
		energyMilliWh: a.energyMilliWh + b.energyMilliWh,
		measuredEnergyMilliWh: a.measuredEnergyMilliWh + b.measuredEnergyMilliWh,
		hourlyGridMilliWh: a.hourlyGridMilliWh + b.hourlyGridMilliWh,
		operationalMilligrams: a.operationalMilligrams + b.operationalMilligrams,
		embodiedMilligrams: a.embodiedMilligrams + b.embodiedMilligrams,
		emissionsUnknownGpuMs: a.emissionsUnknownGpuMs + b.emissionsUnknownGpuMs,
		embodiedUnknownGpuMs: a.embodiedUnknownGpuMs + b.embodiedUnknownGpuMs,
	};
}

const PROVIDERS: Record<string, string> = {
	local: "This host",
	slurm: "Slurm",
	kubernetes: "Kubernetes",
	aws: "AWS",
	azure: "Azure",
	gcp: "Google Cloud",
};

function labelOf(by: CarbonBy, key: string): string {
	if (by === "region") return key === "" ? "Owned" : key;
	if (key === "") return `No ${BY_LABEL[by].toLowerCase()}`;
	if (by === "provider") return PROVIDERS[key] ?? key;
	if ((by === "class" || by === "capacityType") && key in LABELS) return LABELS[key as keyof typeof LABELS];
	return key;
}
