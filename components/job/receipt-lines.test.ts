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
	it("shows run time, and the shared run time of a gang", () => {
		expect(textOf({}, false)).toEqual({ name: "Machine", how: "30 min" });
		const [gang] = shownLines([line({ causeId: "a" }), line({ causeId: "b", toMs: HOUR })]);
		expect(gang && lineText(gang, false).how).toBe("1 h 30, 2 machines");
	});
	it("divides $10 by 4 slots × half an hour into $5 per GPU-hour", () => {
		expect(textOf({}, true)).toEqual({ name: "GPU slots", how: "4 × 30 min × $5.00 per GPU-hour" });
	});
	it("is empty for lines without a duration", () => {
		expect(textOf({ kind: "egress" }, false)).toEqual({ name: "Egress", how: "" });
		expect(textOf({ toMs: 0 }, false)?.how).toBe("");
	});
});

describe("shownLines", () => {
	it("merges machines into one line per kind, in lifecycle order", () => {
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
	it("divides cost by run time: $0.60 at the start, $0, then $0.60 after a minute are $36 per hour over 2 min", () => {
		const boot = { kind: "boot", toMs: 2_000, costMicroUsd: 600_000n } as const;
		const data = { kind: "staging", toMs: 58_000, costMicroUsd: 0n } as const;
		expect(price("spot", [boot, data, { toMs: 60_000, costMicroUsd: 600_000n }])).toBe(36_000_000n);
		expect(price("spot", [boot, data, { toMs: 60_000, costMicroUsd: 600_000n }, { kind: "storage", costMicroUsd: 7n }])).toBe(36_000_000n);
	});
	it("is null on owned hardware and in a machine's first minute", () => {
		expect(price("owned", [{}])).toBeNull();
		expect(price("spot", [{ kind: "boot", toMs: 59_000 }])).toBeNull();
		expect(price("spot", [{ toMs: 40_000 }, { toMs: 40_000 }])).toBeNull();
	});
});

describe("machine disk", () => {
	it("is a line with a duration, reported as excluded where a cloud machine has none", () => {
		expect(textOf({ kind: "storage" }, false)).toEqual({ name: "Disk", how: "30 min" });
		const of = (capacityType: string, kinds: ReceiptLine["kind"][]) =>
			({ placement: { capacityType }, lines: kinds.map((kind) => line({ kind })) }) as Parameters<typeof lacksDisk>[0];
		expect(
			[of("spot", ["boot", "compute"]), of("spot", ["compute", "storage"]), of("owned", ["compute"]), of("spot", [])].map(lacksDisk),
		).toEqual([true, false, false, false]);
	});
});

describe("spotSaved", () => {
	it("counts spot only: $30 list − $9 = $21", () => {
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
	it("adds failed and interrupted attempts", () => {
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
