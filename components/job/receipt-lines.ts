import { formatMoney } from "#components/money/format-money.ts";
import { formatSpan } from "#components/time/format-time.ts";
import type { ReceiptView } from "#components/trpc/outputs.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";

export type ReceiptAttempt = ReceiptView["attempts"][number];
export type ReceiptLine = ReceiptAttempt["lines"][number];

const NAMES: Record<ReceiptLine["kind"], { owned: string; cloud: string }> = {
	compute: { owned: "GPU slots", cloud: "Machine" },
	idle: { owned: "Idle share", cloud: "Idle time" },
	egress: { owned: "Data transfer", cloud: "Egress" },
	storage: { owned: "Disk", cloud: "Disk" },
	adjustment: { owned: "Correction", cloud: "Correction" },
	boot: { owned: "Start", cloud: "Machine, starting" },
	staging: { owned: "GPU slots, staging", cloud: "Machine, staging" },
	commitment: { owned: "Unused commitment", cloud: "Unused commitment" },
	credit: { owned: "Credit", cloud: "Credit" },
	tax: { owned: "Tax", cloud: "Tax" },
	kept_warm: { owned: "Kept warm", cloud: "Kept warm" },
};

/** Kinds with a duration and an hourly price. */
const TIMED: ReadonlySet<ReceiptLine["kind"]> = new Set(["boot", "staging", "compute"]);

/** Lifecycle order of a machine; other kinds come last. */
const ORDER: readonly ReceiptLine["kind"][] = ["boot", "staging", "compute", "idle", "storage", "egress"];

/** A displayed line, summed over all machines. */
export type ShownLine = Omit<ReceiptLine, "causeId" | "listMicroUsd" | "energyMilliWh"> & {
	machines: number /** Total of all machines. */;
	lengthMs: number;
};

/** One line per kind, however many machines ran. */
export function shownLines(lines: readonly ReceiptLine[]): ShownLine[] {
	const rank = (kind: ReceiptLine["kind"]) => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);
	return [...Map.groupBy(lines, (line) => line.kind)]
		.toSorted(([a], [b]) => rank(a) - rank(b))
		.map(([kind, group]) => together(kind, group));
}

function together(kind: ReceiptLine["kind"], lines: readonly ReceiptLine[]): ShownLine {
	const sum = (pick: (line: ReceiptLine) => bigint) => lines.reduce((total, line) => total + pick(line), 0n);
	return {
		kind,
		machines: lines.length,
		fromMs: Math.min(...lines.map((line) => line.fromMs)),
		toMs: Math.max(...lines.map((line) => line.toMs)),
		lengthMs: lines.reduce((total, line) => total + line.toMs - line.fromMs, 0),
		status: lines.some((line) => line.status === "metered") ? "metered" : "posted",
		gpuMs: sum((line) => line.gpuMs),
		costMicroUsd: sum((line) => line.costMicroUsd),
		emissionsMilligrams: lines.some((line) => line.emissionsMilligrams === null) ? null : sum((line) => line.emissionsMilligrams ?? 0n),
	};
}

/** Below this run time, a cloud's minimum billing distorts the hourly price. */
const PRICE_SHOWN_AFTER_MS = MINUTE_MS;

/** Average hourly cost of a machine; null on owned hardware and in the first minute. */
export function machinePrice({ placement, lines }: Pick<ReceiptAttempt, "placement" | "lines">): bigint | null {
	const timed = shownLines(lines).filter(({ kind }) => TIMED.has(kind));
	const lengthMs = timed.reduce((sum, line) => sum + line.lengthMs, 0);
	const machines = Math.max(1, ...timed.map((line) => line.machines));
	if (placement.capacityType === "owned" || lengthMs < PRICE_SHOWN_AFTER_MS * machines) return null;
	return perHour(
		timed.reduce((sum, line) => sum + line.costMicroUsd, 0n),
		BigInt(lengthMs),
	);
}

/**
 * Details of a line, such as "26 min 1 s"; on owned hardware "4 × 30 min × $5.00 per GPU-hour". Cloud prices are shown
 * per attempt because minimum billing at the start makes per-phase prices misleading.
 */
export function lineText(line: ShownLine, owned: boolean): { name: string; how: string } {
	const name = NAMES[line.kind][owned ? "owned" : "cloud"];
	const { lengthMs } = line;
	const isTimed = TIMED.has(line.kind) || line.kind === "storage";
	if (!isTimed || lengthMs <= 0) return { name, how: "" };
	const span = formatSpan(lengthMs, true);
	if (!owned || line.kind === "storage") return { name, how: line.machines > 1 ? `${span}, ${line.machines} machines` : span };
	const gpus = Number(line.gpuMs) / lengthMs;
	const rounded = Math.round(gpus * 100) / 100;
	return { name, how: `${rounded} × ${span} × ${formatMoney(perHour(line.costMicroUsd, line.gpuMs), "price")} per GPU-hour` };
}

/** Average price of the charges, which may be metered at several. */
function perHour(costMicroUsd: bigint, lengthMs: bigint): bigint {
	if (lengthMs <= 0n || costMicroUsd < 0n) return 0n;
	return mulDivFloor(costMicroUsd, BigInt(HOUR_MS), lengthMs).quotient;
}

/** Spot savings against on-demand list prices, all attempts. */
export function spotSaved(receipt: ReceiptView): bigint {
	return receipt.attempts
		.filter((a) => a.placement.capacityType === "spot")
		.reduce((sum, a) => sum + a.totals.listMicroUsd - a.totals.costMicroUsd, 0n);
}

/** Cost of failed and interrupted attempts. */
export function lostOnFailures(receipt: ReceiptView): bigint {
	return receipt.attempts
		.filter((a) => ["interrupted", "evicted", "lost", "failed"].includes(a.state))
		.reduce((sum, a) => sum + a.totals.costMicroUsd, 0n);
}

/** True if a cloud machine has cost but no line for its disk because the disk price was unknown. */
export function lacksDisk({ placement, lines }: Pick<ReceiptAttempt, "placement" | "lines">): boolean {
	return placement.capacityType !== "owned" && lines.some(({ kind }) => TIMED.has(kind)) && !lines.some(({ kind }) => kind === "storage");
}
