import type { SpendPart } from "#components/spend/drill.ts";
import type { Tone } from "#components/ui/chip.tsx";
import type { StatementContent, StatementItem, StatementState, StatementSums } from "#server/domain/statement.ts";
import { type ChargesWith, chargesOfLine } from "#server/domain/statement-charges.ts";
import { LINE_WORDS, partialMonthLabels, SIDE_WORDS } from "#server/domain/statement-words.ts";
import { LABELS } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { drillBefore, itemDrill, statementDrill } from "./drill.ts";

export const STATE_TONE: Record<StatementState, Tone> = {
	open: "neutral",
	to_close: "warn",
	closed: "accent",
	changed: "risk",
	signed: "ok",
};

export interface LineRow {
	key: string;
	label: string;
	kind: "line" | "side" | "total";
	gpuMs: bigint;
	microUsd: bigint;
	/** null if the previous month has no charges. */
	previousMicroUsd: bigint | null;
	changeMicroUsd: bigint | null;
	/** Links to charges of this and the previous month; null if there are none. */
	href: string | null;
	previousHref: string | null;
}

const SIDE_PART = { owned: "home", cloud: "cloud" } as const;

/** Lines, then owned and cloud totals, then the total; each level adds up to the next. */
export function lineRows(content: StatementContent): LineRow[] {
	const { lines, sides, totals, previousTotals } = content;
	const comparable = partialMonthLabels(content).before === null;
	type Behind = { charges?: ChargesWith; part?: SpendPart };
	const row = (
		{ key, label, kind, charges = {}, part = "all" }: Pick<LineRow, "key" | "label" | "kind"> & Behind,
		sums: StatementSums,
		previous: StatementSums | null,
	): LineRow => {
		const microUsd = BigInt(sums.effectiveMicroUsd);
		const before = previousTotals ? BigInt(previous?.effectiveMicroUsd ?? 0) : null;
		const changeMicroUsd = before === null || !comparable ? null : microUsd - before;
		return {
			...{ key, label, kind, gpuMs: BigInt(sums.gpuMs), microUsd, previousMicroUsd: before, changeMicroUsd },
			href: microUsd === 0n ? null : statementDrill(content, charges, { part }),
			previousHref: before === null || before === 0n ? null : drillBefore(content, charges, { part }),
		};
	};
	return [
		...lines.map((l) => row({ key: l.key, label: LINE_WORDS[l.key], kind: "line", charges: chargesOfLine(l.key) }, l.sums, l.previous)),
		...sides.map(({ key, sums, previous }) =>
			row({ key: `side-${key}`, label: `${SIDE_WORDS[key]} total`, kind: "side", part: SIDE_PART[key] }, sums, previous),
		),
		row({ key: "total", label: "Total", kind: "total" }, totals, previousTotals),
	];
}

export interface ItemGroup {
	key: string;
	/** null: the company's items are in one unnamed group. */
	label: string | null;
	items: { id: string; label: string; from: string; gpuMs: bigint; perGpuHour: bigint | null; microUsd: bigint; href: string | null }[];
	microUsd: bigint;
	/** Link to the charges of all items. */
	href: string | null;
}

/** A team's charges by project, most expensive first; the company's in one group. */
export function itemGroups(content: StatementContent): ItemGroup[] {
	const { team, items, byProject, totals } = content;
	if (items.length === 0) return [];
	const rows = (own: readonly StatementItem[]) =>
		own.map((item) => ({
			id: [item.line, item.provider, item.capacityType, item.accelerator].join("/"),
			label: itemLabel(item),
			from: item.provider === "local" ? "home" : item.provider,
			gpuMs: BigInt(item.sums.gpuMs),
			perGpuHour: perGpuHour(item.sums),
			microUsd: BigInt(item.sums.effectiveMicroUsd),
			href: itemDrill(content, item),
		}));
	const all = { microUsd: BigInt(totals.effectiveMicroUsd), href: statementDrill(content) };
	if (team === "") return [{ key: "", label: null, items: rows(items), ...all }];
	return byProject.map(({ key, sums }) => ({
		key,
		label: key || "(no project)",
		items: rows(items.filter((i) => i.project === key)),
		microUsd: BigInt(sums.effectiveMicroUsd),
		href: statementDrill(content, { project: [key] }),
	}));
}

export function itemLabel({ line, accelerator, capacityType }: StatementItem): string {
	const machine = accelerator === "" ? "" : `${accelerator}, `;
	if (line === "idle") return `${machine}idle`;
	return line === capacityType
		? `${machine}${LABELS[capacityType]}`
		: `${machine}${LABELS[capacityType]}: ${LINE_WORDS[line].toLowerCase()}`;
}

/** Rounded down to the micro-dollar; null without hours or for a credit. */
export function perGpuHour({ effectiveMicroUsd, gpuMs }: StatementSums): bigint | null {
	const [cost, time] = [BigInt(effectiveMicroUsd), BigInt(gpuMs)];
	return time <= 0n || cost <= 0n ? null : (cost * BigInt(HOUR_MS)) / time;
}

/** "1,216.4"; zero is shown as "none" by the cell. */
export function gpuHours(gpuMs: bigint | string): string | null {
	const tenths = (BigInt(gpuMs) + 180_000n) / 360_000n;
	return BigInt(gpuMs) === 0n ? null : `${(tenths / 10n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",")}.${tenths % 10n}`;
}

export const shortHash = (sha256: string): string => (sha256.match(/.{8}/g) ?? []).slice(0, 2).join(" ");
