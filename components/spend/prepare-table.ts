import type { inferRouterOutputs } from "@trpc/server";
import type { CapacityKind } from "#components/place/place.tsx";
import { formatDay, formatMonth } from "#components/time/format-time.ts";
import type { BarPart } from "#components/ui/meter.tsx";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { formatMoney } from "../money/format-money.ts";
import { clipped, drillHref, type SpendPart } from "./drill.ts";
import type { SpendBucket } from "./range.ts";
import { type Dimension, type SpendBy, type SpendView, setFilter, spendHref, valueLabel } from "./view.ts";
import { addDays, monthStart, shownMs, startOfDate } from "./zone-days.ts";

export type SpendPage = inferRouterOutputs<AppRouter>["spend"]["page"];
type Sums = SpendPage["groups"]["totals"];

/** An amount linked to its charges; null if there are none. */
export interface Cell {
	microUsd: bigint;
	href: string | null;
}

/** A row of the breakdown. */
export interface SpendRow {
	id: string;
	kind: "group" | "total";
	label: string;
	/** Link to the screen filtered by this group, by the next dimension. */
	withinHref: string | null;
	/** Location mark, for site and capacity groups. */
	capacity: CapacityKind | null;
	/** Hardware in use, excluding idle. */
	owned: Cell;
	idle: Cell;
	cloud: Cell;
	total: Cell;
	/** Fraction of the total, 0 to 1. */
	share: number;
	/** Hours used, owned and cloud. */
	gpuMs: bigint;
	/** Total cost per hour used, including idle time; null if no GPU-hour was used. */
	microUsdPerGpuHour: bigint | null;
	/** Change from the previous range, 0.06 is +6%; null if unknown or nothing was spent. */
	change: number | null;
	parts: BarPart[];
	/** Fraction of the longest bar, 0 to 1. */
	width: number;
}

/** Cost per GPU-hour, rounded down to the micro-dollar; null without hours. */
export function perGpuHour(microUsd: bigint, gpuMs: bigint): bigint | null {
	return gpuMs > 0n ? (microUsd * BigInt(HOUR_MS)) / gpuMs : null;
}

/** 0.06 is +6%; null without a previous amount. */
export function changeOf(now: bigint, before: bigint | null | undefined): number | null {
	return before ? Number(now - before) / Number(before < 0n ? -before : before) : null;
}

interface TableContext {
	view: SpendView;
	/** The table's dimensions; `time` has one row per bucket. */
	bucket: SpendBucket;
	range: { fromMs: number; toMs: number };
}

/**
 * Groups, most expensive first (buckets in time order), then the total. Idle hardware has its own column: it counts
 * toward its location and model, but no team, project or class.
 */
export function prepareSpendTable(page: Pick<SpendPage, "groups" | "before" | "ledgerStartMs">, context: TableContext): SpendRow[] {
	const { groups, before } = page;
	const { view, range } = context;
	const byTime = view.by === "time";
	const was = new Map(byTime ? [] : before?.items.map((item) => [item.key, item.totalMicroUsd]));
	const hasPrevious = before !== null && page.ledgerStartMs !== null && before.fromMs >= page.ledgerStartMs;
	const items = groups.items.filter((item) => item.totalMicroUsd !== 0n || item.gpuMs !== 0n || item.idleGpuMs !== 0n);
	let longest = 1n;
	for (const { totalMicroUsd } of items) if (totalMicroUsd > longest) longest = totalMicroUsd;
	const rows = items.map((item): SpendRow => {
		const span = byTime ? clipped(bucketSpan(item.key, context), range) : null;
		const cell = (part: SpendPart, microUsd: bigint): Cell => ({
			microUsd,
			href: microUsd === 0n ? null : hrefOf(context, item.key, part, span),
		});
		return {
			id: `group:${item.key}`,
			kind: "group",
			label: byTime ? bucketLabel(item.key, context.bucket) : groupLabel(view.by as Dimension, item),
			withinHref: withinHref(view, item.key, span),
			capacity: capacityOf(view.by, item),
			...cellsOf(item, cell),
			share: shareOf(item.totalMicroUsd, groups.totals.totalMicroUsd),
			gpuMs: item.gpuMs,
			microUsdPerGpuHour: perGpuHour(item.totalMicroUsd, item.gpuMs),
			change: hasPrevious ? changeOf(item.totalMicroUsd, was.get(item.key)) : null,
			parts: partsOf(item),
			width: Math.max(0, Number(item.totalMicroUsd) / Number(longest)),
		};
	});
	const { totals } = groups;
	const all = (part: SpendPart, microUsd: bigint): Cell => ({ microUsd, href: microUsd === 0n ? null : drillHref(view, { part }) });
	return [
		...rows,
		{
			...{ id: "total", kind: "total", label: "Total", withinHref: null, capacity: null, parts: [], width: 0 },
			...cellsOf(totals, all),
			share: totals.totalMicroUsd > 0n ? 1 : 0,
			gpuMs: totals.gpuMs,
			microUsdPerGpuHour: perGpuHour(totals.totalMicroUsd, totals.gpuMs),
			change: hasPrevious ? changeOf(totals.totalMicroUsd, before?.totals.totalMicroUsd) : null,
		},
	];
}

const shareOf = (amount: bigint, all: bigint) => (all > 0n ? Number(amount) / Number(all) : 0);

const cellsOf = (sums: Sums, cell: (part: SpendPart, microUsd: bigint) => Cell) => ({
	owned: cell("owned", sums.ownedMicroUsd),
	idle: cell("idle", sums.idleMicroUsd),
	cloud: cell("cloud", sums.cloudMicroUsd),
	total: cell("all", sums.totalMicroUsd),
});

function hrefOf({ view }: TableContext, key: string, part: SpendPart, span: { fromMs: number; toMs: number } | null): string | null {
	if (span) return drillHref(view, { part, span });
	return drillHref(view, { part, group: { dimension: view.by as Dimension, key } });
}

/** The next dimension to drill into. */
const NEXT: Record<Dimension, SpendBy> = {
	team: "project",
	project: "job",
	class: "team",
	provider: "region",
	region: "accelerator",
	site: "accelerator",
	capacityType: "accelerator",
	accelerator: "team",
	kind: "team",
};

function withinHref(view: SpendView, key: string, span: { fromMs: number; toMs: number } | null): string | null {
	if (span || view.by === "time" || view.by === "job") return null;
	return spendHref({ ...setFilter(view, view.by, [key]), by: NEXT[view.by] });
}

/** The bucket that starts on the key's day. */
function bucketSpan(key: string, { bucket, view: { zone } }: TableContext): { fromMs: number; toMs: number } {
	const end = bucket === "day" ? addDays(key, 1) : bucket === "week" ? addDays(key, 7) : monthStart(key, 1);
	return { fromMs: startOfDate(key, zone), toMs: startOfDate(end, zone) };
}

/** "Wed 18 Nov", "Week of 16 Nov", "November 2026". */
export function bucketLabel(firstDay: string, bucket: SpendBucket): string {
	const atMs = shownMs(firstDay);
	return bucket === "day" ? formatDay(atMs) : bucket === "week" ? `Week of ${formatDay(atMs, false)}` : formatMonth(atMs);
}

/** The group's name; what no job used is "Idle". */
export function groupLabel(by: Dimension, item: { key: string; idleMicroUsd: bigint; totalMicroUsd: bigint }): string {
	const idle = item.key === "" && item.idleMicroUsd !== 0n && (by === "team" || by === "project" || by === "class");
	if (!idle) return valueLabel(by, item.key);
	return item.totalMicroUsd === item.idleMicroUsd ? "Idle" : `Idle or no ${by}`;
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
		part("idle", "idle", item.idleMicroUsd),
		part("reserved", "reserved", item.reservedMicroUsd),
		part("spot", "spot", item.spotMicroUsd),
		part("on_demand", "on-demand", item.onDemandMicroUsd),
	].filter((p) => p.value > 0);
}

function capacityOf(by: SpendBy, item: Sums & { key: string }): CapacityKind | null {
	if (by === "capacityType") return item.key as CapacityKind;
	if (by !== "provider" && by !== "region" && by !== "site") return null;
	if (item.cloudMicroUsd === 0n) return "owned";
	return item.spotMicroUsd * 2n > item.cloudMicroUsd ? "spot" : item.reservedMicroUsd * 2n > item.cloudMicroUsd ? "reserved" : "on_demand";
}
