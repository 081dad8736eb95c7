import type { inferRouterOutputs } from "@trpc/server";
import type { CapacityKind } from "#components/place/place.tsx";
import type { BarPart } from "#components/ui/meter.tsx";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { LABELS } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { formatMoney } from "../money/format-money.ts";
import { BY_LABEL, type SpendBy } from "./range.ts";

export type SpendPage = inferRouterOutputs<AppRouter>["spend"]["page"];
type Sums = SpendPage["groups"]["totals"];

/** One row of "Where it went". Money in micro-dollars; owned is hardware in use, without its idle time. */
export interface SpendRow {
	id: string;
	kind: "group" | "idle" | "total";
	label: string;
	/** For groups that are places or capacity: the mark of its kind. */
	capacity: CapacityKind | null;
	ownedMicroUsd: bigint;
	cloudMicroUsd: bigint;
	totalMicroUsd: bigint;
	/** Of everything, 0 to 1. */
	share: number;
	gpuMs: bigint;
	/** null: no GPU-hour was used for it. */
	microUsdPerGpuHour: bigint | null;
	parts: BarPart[];
	/** Of the longest bar, 0 to 1. */
	width: number;
}

/** Money for each GPU-hour, rounded down to the micro-dollar; null without any. */
export function perGpuHour(microUsd: bigint, gpuMs: bigint): bigint | null {
	return gpuMs > 0n ? (microUsd * BigInt(HOUR_MS)) / gpuMs : null;
}

/**
 * Groups, then the idle hardware in a row of its own, then the sum. Idle time is taken out of the group in which the answer
 * has it (home, owned, the model, or none), so the rows above the sum add up to it to the last micro-dollar.
 */
export function prepareSpendTable(spend: SpendPage["groups"], by: SpendBy): SpendRow[] {
	const { totals } = spend;
	const groups = spend.items
		.map((item) => ({ item, usedMicroUsd: item.ownedMicroUsd + item.cloudMicroUsd }))
		.filter(({ item, usedMicroUsd }) => usedMicroUsd !== 0n || item.gpuMs !== 0n)
		.sort((a, b) => (a.usedMicroUsd < b.usedMicroUsd ? 1 : a.usedMicroUsd > b.usedMicroUsd ? -1 : 0));
	const longest = [totals.idleMicroUsd, ...groups.map((g) => g.usedMicroUsd)].reduce((a, b) => (b > a ? b : a), 1n);
	const shareOf = (amount: bigint) => (totals.totalMicroUsd > 0n ? Number(amount) / Number(totals.totalMicroUsd) : 0);
	const rows = groups.map(
		({ item, usedMicroUsd }): SpendRow => ({
			id: `group:${item.key}`,
			kind: "group",
			label: labelOf(by, item.key),
			capacity: capacityOf(by, item),
			ownedMicroUsd: item.ownedMicroUsd,
			cloudMicroUsd: item.cloudMicroUsd,
			totalMicroUsd: usedMicroUsd,
			share: shareOf(usedMicroUsd),
			gpuMs: item.gpuMs,
			microUsdPerGpuHour: perGpuHour(usedMicroUsd, item.gpuMs),
			parts: partsOf(item),
			width: Number(usedMicroUsd) / Number(longest),
		}),
	);
	if (totals.idleMicroUsd !== 0n || totals.idleGpuMs > 0n) rows.push(idleRow(totals, shareOf, longest));
	return [
		...rows,
		{
			id: "total",
			kind: "total",
			label: "All",
			capacity: null,
			ownedMicroUsd: totals.ownedMicroUsd + totals.idleMicroUsd,
			cloudMicroUsd: totals.cloudMicroUsd,
			totalMicroUsd: totals.totalMicroUsd,
			share: totals.totalMicroUsd > 0n ? 1 : 0,
			gpuMs: totals.gpuMs + totals.idleGpuMs,
			// What everything came to for each hour of use: idle time is a cost of the hours that were used.
			microUsdPerGpuHour: perGpuHour(totals.totalMicroUsd, totals.gpuMs),
			parts: [],
			width: 0,
		},
	];
}

function idleRow(totals: Sums, shareOf: (amount: bigint) => number, longest: bigint): SpendRow {
	return {
		id: "idle",
		kind: "idle",
		label: "Idle, charged to nobody",
		capacity: null,
		ownedMicroUsd: totals.idleMicroUsd,
		cloudMicroUsd: 0n,
		totalMicroUsd: totals.idleMicroUsd,
		share: shareOf(totals.idleMicroUsd),
		gpuMs: totals.idleGpuMs,
		microUsdPerGpuHour: null,
		parts: [{ id: "idle", value: Number(totals.idleMicroUsd), fill: "idle", label: `idle ${formatMoney(totals.idleMicroUsd, "posted")}` }],
		width: Number(totals.idleMicroUsd) / Number(longest),
	};
}

function partsOf(item: Sums): BarPart[] {
	const part = (id: BarPart["fill"], word: string, amount: bigint): BarPart => ({
		id,
		fill: id,
		value: Number(amount),
		label: `${word} ${formatMoney(amount, "posted")}`,
	});
	return [
		part("owned", "owned", item.ownedMicroUsd),
		part("reserved", "reserved", item.reservedMicroUsd),
		part("spot", "spot", item.spotMicroUsd),
		part("on_demand", "on-demand", item.onDemandMicroUsd),
	].filter((p) => p.value > 0);
}

const PROVIDERS: Record<string, string> = {
	local: "This host",
	slurm: "Slurm",
	kubernetes: "Kubernetes",
	aws: "AWS",
	azure: "Azure",
	gcp: "Google Cloud",
};

function labelOf(by: SpendBy, key: string): string {
	if (by === "region") return key === "" ? "At home" : key;
	if (key === "") return `No ${BY_LABEL[by].toLowerCase()}`;
	if (by === "provider") return PROVIDERS[key] ?? key;
	if ((by === "class" || by === "capacityType") && key in LABELS) return LABELS[key as keyof typeof LABELS];
	return key;
}

function capacityOf(by: SpendBy, item: Sums & { key: string }): CapacityKind | null {
	if (by === "capacityType") return item.key as CapacityKind;
	if (by !== "provider" && by !== "region") return null;
	if (item.cloudMicroUsd === 0n) return "owned";
	return item.spotMicroUsd * 2n > item.cloudMicroUsd ? "spot" : item.reservedMicroUsd * 2n > item.cloudMicroUsd ? "reserved" : "on_demand";
}
