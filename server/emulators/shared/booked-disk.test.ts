import { expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { DiskRate } from "#server/rates/disks.ts";
import { bookedDisk } from "./booked-disk.ts";

const NOON = Date.UTC(2026, 10, 30, 12);
const gp3: DiskRate = { region: "us-east-1", type: "gp3", tierGib: null, microUsdPerMonth: 80_000n };
const tier = (tierGib: number, microUsdPerMonth: bigint): DiskRate => ({ region: "eastus", type: "P", tierGib, microUsdPerMonth });

it("100 GiB at $0.08, 12 of November's 720 hours and 24 of December's 744: 8,000,000 × (12/720 + 24/744) = 391,398 µ$", () => {
	const disk = bookedDisk({ type: "gp3", gib: 100 }, [gp3], { fromMs: NOON, billedMs: 36 * HOUR_MS });
	expect(disk).toEqual({ type: "gp3", gib: 100, billedMicroUsd: "391398" });
});

it("200 GiB are billed as the next larger tier, 256: $36 × 7.2/720 h = $0.36", () => {
	const rates = [tier(512, 72_000_000n), tier(128, 18_000_000n), tier(256, 36_000_000n)];
	const disk = bookedDisk({ type: "Premium_LRS", gib: 200 }, rates, { fromMs: Date.UTC(2026, 10), billedMs: 7.2 * HOUR_MS });
	expect(disk.billedMicroUsd).toBe("360000");
});

it("has no bill if the list has no price, and a bill of zero for a machine that never ran", () => {
	expect(bookedDisk({ type: "io2", gib: 100 }, [], { fromMs: NOON, billedMs: HOUR_MS }).billedMicroUsd).toBeNull();
	expect(bookedDisk({ type: "P", gib: 600 }, [tier(512, 1n)], { fromMs: NOON, billedMs: HOUR_MS }).billedMicroUsd).toBeNull();
	expect(bookedDisk({ type: "gp3", gib: 100 }, [gp3], { fromMs: null, billedMs: 0 }).billedMicroUsd).toBe("0");
});
