import { describe, expect, it } from "vitest";
import type { ReceiptView } from "#components/trpc/outputs.ts";
import { lacksDisk, lineText, lostOnFailures, type ReceiptLine, spotSaved } from "./receipt-lines.ts";

const HOUR = 3_600_000;
const line = (some: Partial<ReceiptLine>): ReceiptLine =>
	({ kind: "compute", fromMs: 0, toMs: HOUR / 2, gpuMs: BigInt(2 * HOUR), costMicroUsd: 10_000_000n, ...some }) as ReceiptLine;
const receipt = (attempts: [state: string, capacityType: string, list: bigint, cost: bigint][]): ReceiptView =>
	({
		attempts: attempts.map(([state, capacityType, listMicroUsd, costMicroUsd]) => ({
			state,
			placement: { capacityType },
			totals: { listMicroUsd, costMicroUsd },
		})),
	}) as unknown as ReceiptView;

describe("lineText", () => {
	it("divides $10 for half an hour of a machine into $20 an hour", () => {
		expect(lineText(line({}), false)).toEqual({ name: "Machine", how: "30 min × $20.00 an hour" });
	});
	it("divides $10 for 4 slots × half an hour into $5 a GPU-hour", () => {
		expect(lineText(line({}), true)).toEqual({ name: "GPU slots", how: "4 × 30 min × $5.00 a GPU-hour" });
	});
	it("says nothing about what has no length", () => {
		expect(lineText(line({ kind: "egress" }), false)).toEqual({ name: "Data out", how: "" });
		expect(lineText(line({ toMs: 0 }), false).how).toBe("");
	});
});

describe("the disk of a machine", () => {
	it("is a line of its length, and is said not to be counted where a cloud's machine has none", () => {
		expect(lineText(line({ kind: "storage" }), false)).toEqual({ name: "Disk", how: "30 min" });
		const of = (capacityType: string, kinds: ReceiptLine["kind"][]) =>
			({ placement: { capacityType }, lines: kinds.map((kind) => line({ kind })) }) as Parameters<typeof lacksDisk>[0];
		expect(
			[of("spot", ["boot", "compute"]), of("spot", ["compute", "storage"]), of("owned", ["compute"]), of("spot", [])].map(lacksDisk),
		).toEqual([true, false, false, false]);
	});
});

describe("spotSaved", () => {
	it("counts spot alone: $30 list − $9 = $21", () => {
		expect(
			spotSaved(
				receipt([
					["succeeded", "spot", 30n, 9n],
					["succeeded", "on_demand", 50n, 40n],
				]),
			),
		).toBe(21n);
	});
});

describe("lostOnFailures", () => {
	it("adds what ended badly", () => {
		expect(
			lostOnFailures(
				receipt([
					["interrupted", "spot", 0n, 5n],
					["succeeded", "spot", 0n, 7n],
					["lost", "spot", 0n, 2n],
				]),
			),
		).toBe(7n);
	});
});
