import { formatMoney } from "#components/money/format-money.ts";
import { formatSpan } from "#components/time/format-time.ts";
import type { ReceiptView } from "#components/trpc/outputs.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

export type ReceiptAttempt = ReceiptView["attempts"][number];
export type ReceiptLine = ReceiptAttempt["lines"][number];

const NAMES: Record<ReceiptLine["kind"], { owned: string; cloud: string }> = {
	compute: { owned: "GPU slots", cloud: "Machine" },
	idle: { owned: "Idle share", cloud: "Idle time" },
	egress: { owned: "Data moved", cloud: "Data out" },
	storage: { owned: "Disk", cloud: "Disk" },
	adjustment: { owned: "Correction", cloud: "Correction" },
	boot: { owned: "Start", cloud: "Machine, starting" },
	staging: { owned: "GPU slots, data coming in", cloud: "Machine, data coming in" },
	commitment: { owned: "Unused commitment", cloud: "Unused commitment" },
	credit: { owned: "Credit", cloud: "Credit" },
	tax: { owned: "Tax", cloud: "Tax" },
};

/** Kinds that are a length of time at an hourly price. */
const TIMED: ReadonlySet<ReceiptLine["kind"]> = new Set(["boot", "staging", "compute"]);

/** "Machine", and what it is made of: "26 min 1 s × $0.18 an hour". */
export function lineText(line: ReceiptLine, owned: boolean): { name: string; how: string } {
	const name = NAMES[line.kind][owned ? "owned" : "cloud"];
	const lengthMs = line.toMs - line.fromMs;
	if (line.kind === "storage") return { name, how: formatSpan(lengthMs, true) };
	if (!TIMED.has(line.kind) || lengthMs <= 0) return { name, how: "" };
	const span = formatSpan(lengthMs, true);
	if (!owned) return { name, how: `${span} × ${formatMoney(perHour(line.costMicroUsd, BigInt(lengthMs)), "price")} an hour` };
	const gpus = Number(line.gpuMs) / lengthMs;
	const rounded = Math.round(gpus * 100) / 100;
	return { name, how: `${rounded} × ${span} × ${formatMoney(perHour(line.costMicroUsd, line.gpuMs), "price")} a GPU-hour` };
}

/** The price that these charges come to; they may have been metered at several. */
function perHour(costMicroUsd: bigint, lengthMs: bigint): bigint {
	if (lengthMs <= 0n || costMicroUsd < 0n) return 0n;
	return mulDivFloor(costMicroUsd, BigInt(HOUR_MS), lengthMs).quotient;
}

/** What spot machines saved against their list price, over all attempts. */
export function spotSaved(receipt: ReceiptView): bigint {
	return receipt.attempts
		.filter((a) => a.placement.capacityType === "spot")
		.reduce((sum, a) => sum + a.totals.listMicroUsd - a.totals.costMicroUsd, 0n);
}

/** Money that attempts cost which did not end as they should. */
export function lostOnFailures(receipt: ReceiptView): bigint {
	return receipt.attempts
		.filter((a) => ["interrupted", "evicted", "lost", "failed"].includes(a.state))
		.reduce((sum, a) => sum + a.totals.costMicroUsd, 0n);
}

/** A machine of a cloud has cost something, and its disk, whose price was not known, is in no line. */
export function lacksDisk({ placement, lines }: Pick<ReceiptAttempt, "placement" | "lines">): boolean {
	return placement.capacityType !== "owned" && lines.some(({ kind }) => TIMED.has(kind)) && !lines.some(({ kind }) => kind === "storage");
}
