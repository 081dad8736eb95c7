import { describe, expect, it } from "vitest";
import type { ReceiptView } from "#components/trpc/outputs.ts";
import { lacksDisk, lineText, lostOnFailures, machinePrice, type ReceiptLine, shownLines, spotSaved } from "./receipt-lines.ts";

const HOUR = 3_600_000;
const line = (some: Partial<ReceiptLine>): ReceiptLine =>
	({ kind: "compute", fromMs: 0, toMs: HOUR / 2, gpuMs: BigInt(2 * HOUR), costMicroUsd: 10_000_000n, ...some }) as ReceiptLine;
const textOf = (some: Partial<ReceiptLine>, owned: boolean) => shownLines([line(some)]).map((shown) => lineText(shown, owned))[0];
const receipt = (attempts: [state: string, capacityType: string, list: bigint, cost: bigint][]): ReceiptView =>
	({
		attempts: attempts.map(([state, capacityType, listMicroUsd, costMicroUsd]) => ({
			state,
			placement: { capacityType },
			totals: { listMicroUsd, costMicroUsd },
		})),
	}) as unknown as ReceiptView;

describe("lineText", () => {
	it("tells how long a machine ran, and of a gang how long its machines ran together", () => {
		expect(textOf({}, false)).toEqual({ name: "Machine", how: "30 min" });
		const [gang] = shownLines([line({ causeId: "a" }), line({ causeId: "b", toMs: HOUR })]);
		expect(gang && lineText(gang, false).how).toBe("1 h 30, 2 machines together");
	});
	it("divides $10 for 4 slots × half an hour into $5 a GPU-hour", () => {
		expect(textOf({}, true)).toEqual({ name: "GPU slots", how: "4 × 30 min × $5.00 a GPU-hour" });
	});
	it("says nothing about what has no length", () => {
		expect(textOf({ kind: "egress" }, false)).toEqual({ name: "Data out", how: "" });
		expect(textOf({ toMs: 0 }, false)?.how).toBe("");
	});
});

describe("shownLines", () => {
	it("has one line for each kind, in the order of a machine's life, with the sums of all machines", () => {
		const shown = shownLines([
			line({ kind: "storage", status: "posted", emissionsMilligrams: 1n }),
			line({ kind: "compute", status: "posted", emissionsMilligrams: 2n }),
			line({ kind: "boot", status: "posted", emissionsMilligrams: 3n }),
			line({ kind: "compute", status: "metered", emissionsMilligrams: null }),
		]);
		expect(shown.map((l) => [l.kind, l.machines, l.costMicroUsd, l.status, l.emissionsMilligrams])).toEqual([
			["boot", 1, 10_000_000n, "posted", 3n],
			["compute", 2, 20_000_000n, "metered", null],
			["storage", 1, 10_000_000n, "posted", 1n],
		]);
	});
});

describe("machinePrice", () => {
	const price = (capacityType: string, lines: Partial<ReceiptLine>[]) =>
		machinePrice({ placement: { capacityType }, lines: lines.map(line) } as Parameters<typeof machinePrice>[0]);
	it("is what all its time cost by that time: $0.60 at the start, $0 then, $0.60 after a minute are $36 in 2 min", () => {
		const boot = { kind: "boot", toMs: 2_000, costMicroUsd: 600_000n } as const;
		const data = { kind: "staging", toMs: 58_000, costMicroUsd: 0n } as const;
		expect(price("spot", [boot, data, { toMs: 60_000, costMicroUsd: 600_000n }])).toBe(36_000_000n);
		expect(price("spot", [boot, data, { toMs: 60_000, costMicroUsd: 600_000n }, { kind: "storage", costMicroUsd: 7n }])).toBe(36_000_000n);
	});
	it("says nothing at home, and nothing of a machine's first minute", () => {
		expect(price("owned", [{}])).toBeNull();
		expect(price("spot", [{ kind: "boot", toMs: 59_000 }])).toBeNull();
		expect(price("spot", [{ toMs: 40_000 }, { toMs: 40_000 }])).toBeNull();
	});
});

describe("the disk of a machine", () => {
	it("is a line of its length, and is said not to be counted where a cloud's machine has none", () => {
		expect(textOf({ kind: "storage" }, false)).toEqual({ name: "Disk", how: "30 min" });
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
