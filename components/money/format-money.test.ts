import { describe, expect, it } from "vitest";
import { formatAxisUsd, formatCellParts, formatMoney, formatMoneyExact, formatMoneyParts } from "./format-money.ts";

describe("formatMoney", () => {
	it("formats posted amounts with cents", () => {
		expect(formatMoney(89_578_170_000n, "posted")).toBe("$89,578.17");
		expect(formatMoney("0", "posted")).toBe("$0.00");
	});

	it("formats estimates in whole dollars with an estimate sign", () => {
		expect(formatMoney(403_060_000n, "estimate")).toBe("≈ $403");
		expect(formatMoney(2_201_500_000n, "estimate")).toBe("≈ $2,202");
	});

	it("keeps significant digits of small estimates", () => {
		expect(formatMoney(4_130_000n, "estimate")).toBe("≈ $4.13");
		expect(formatMoney(120_000n, "estimate")).toBe("≈ $0.12");
		expect(formatMoney(4_210n, "estimate")).toBe("≈ $0.0042");
	});

	it.each(["posted", "estimate", "whole", "price"] as const)("has one form of zero (%s)", (kind) => {
		expect(formatMoney(0n, kind)).toBe("$0.00");
	});

	it("never rounds a nonzero amount to zero", () => {
		expect(formatMoney(4n, "posted")).toBe("$0.000004");
		expect(formatMoney(512n, "posted")).toBe("$0.00051");
		expect(formatMoney(4_210n, "posted")).toBe("$0.0042");
		expect(formatMoney(31_000n, "posted")).toBe("$0.031");
	});

	it("rounds half away from zero and carries into dollars", () => {
		expect(formatMoney(999_995_000n, "posted")).toBe("$1,000.00");
		expect(formatMoney(-999_995_000n, "posted")).toBe("−$1,000.00");
	});

	it("formats rate-card and cap amounts in whole dollars", () => expect(formatMoney(50_000_000_000n, "whole")).toBe("$50,000"));

	it("formats prices to the cent, or finer if needed", () => {
		expect(formatMoney(23_410_000n, "price")).toBe("$23.41");
		expect(formatMoney(8_500n, "price")).toBe("$0.0085");
	});

	it("is exact beyond floating-point precision", () => {
		expect(formatMoney(90_071_992_547_409_931_234_567n, "posted")).toBe("$90,071,992,547,409,931.23");
	});
});

describe("formatMoneyParts", () => {
	it("separates the cents so that they can be smaller", () => {
		expect(formatMoneyParts(31_482_170_000n, "posted")).toEqual({ approximate: false, negative: false, dollars: "31,482", cents: ".17" });
	});
});

describe("formatCellParts", () => {
	const cell = (value: bigint, kind: "posted" | "estimate" = "posted") => {
		const parts = formatCellParts(value, kind);
		return parts && parts.dollars + parts.cents;
	};

	it("has no digits below a tenth of a cent, and whole dollars from $1,000 on", () => {
		expect([1n, 999n, 48n].map((value) => cell(value))).toEqual([null, null, null]);
		expect([0n, 1_000n, 999_990_000n, 4_574_210_000n].map((value) => cell(value))).toEqual(["0.00", "0.0010", "999.99", "4,574"]);
		expect([48n, 4_210n, 120_000n, 4_574_210_000n].map((value) => cell(value, "estimate"))).toEqual([null, "0.0042", "0.12", "4,574"]);
	});
});

describe("formatMoneyExact", () => {
	it("shows every micro-dollar", () => {
		expect(formatMoneyExact("1234170042")).toBe("$1,234.170042");
		expect(formatMoneyExact(-1n)).toBe("−$0.000001");
	});
});

describe("formatAxisUsd", () => {
	it.each([
		[0, "0"],
		[6000, "$6k"],
		[1500, "$1.5k"],
		[250, "$250"],
		[0.02, "$0.02"],
		[2_000_000, "$2M"],
	])("formats %f as %s", (value, text) => expect(formatAxisUsd(value)).toBe(text));
});
