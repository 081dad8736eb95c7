import { describe, expect, it } from "vitest";
import { about, bytes, duration, exactMoney, exactTime, gpuHours, grams, money, place, relative, startRange } from "./format.ts";

describe("money has enough digits", () => {
	it.each([
		["0", "$0.00", "$0.000000"],
		["1", "$0.000001", "$0.000001"],
		["682", "$0.000682", "$0.000682"],
		["5240", "$0.005240", "$0.005240"],
		["11685", "$0.0117", "$0.011685"],
		["500000", "$0.5000", "$0.500000"],
		["999999", "$1.00", "$0.999999"],
		["1234567", "$1.23", "$1.234567"],
		["1234567890000", "$1,234,567.89", "$1,234,567.890000"],
		["-11685", "-$0.0117", "-$0.011685"],
		["-682", "-$0.000682", "-$0.000682"],
	])("%s is %s, exactly %s", (micro, shown, exact) => {
		expect([money(micro), exactMoney(micro)]).toEqual([shown, exact]);
	});
	it("marks an estimate", () => {
		expect(about("7051")).toBe("≈$0.007051");
	});
});

describe("time", () => {
	it.each([
		[400, "0s"],
		[37_400, "37s"],
		[59_999, "60s"],
		[60_000, "1m"],
		[76_000, "1m16s"],
		[14 * 60_000, "14m"],
		[3_600_000, "1h"],
		[3 * 3_600_000 + 5 * 60_000, "3h05m"],
		[6 * 86_400_000, "6d"],
	])("%d ms is %s", (ms, text) => {
		expect(duration(ms)).toBe(text);
	});
	it("is relative, exact, and a range", () => {
		expect([relative(0, 120_000), relative(120_000, 0), relative(5, 0)]).toEqual(["2m ago", "in 2m", "now"]);
		expect(exactTime(Date.UTC(2026, 10, 21, 4, 40, 40))).toBe("2026-11-21 04:40:40 UTC");
		expect(startRange({ p50Ms: 0, p90Ms: 0 }, 0)).toBe("now");
		expect(startRange({ p50Ms: -9_000, p90Ms: 30_000 }, 0)).toBe("now – 30s");
		expect(startRange({ p50Ms: 6_000, p90Ms: 9_000 }, 0)).toBe("in 6s – 9s");
		expect(startRange({ p50Ms: 6_000, p90Ms: 6_100 }, 0)).toBe("in 6s");
		expect(startRange(null, 0)).toBe("–");
	});
});

describe("amounts carry their units", () => {
	it("grams, bytes and GPU-hours", () => {
		expect([0, 0.0356, 3.372, 420, 4_200, 2.5e6].map(grams)).toEqual(["0 g", "0.036 g", "3.4 g", "420 g", "4.20 kg", "2.50 t"]);
		expect(grams(null)).toBe("–");
		expect([0, 500, 1_536, 1_621_246, 5 * 2 ** 40].map(bytes)).toEqual(["0 B", "500 B", "1.5 KiB", "1.5 MiB", "5.0 TiB"]);
		expect(["0", "153348", "36000000", "3600000000"].map(gpuHours)).toEqual(["0", "0.043", "10.0", "1000"]);
	});
	it("places", () => {
		const cloud = { siteId: "aws", provider: "aws", region: "us-west-2", zone: null, capacityType: "on_demand", instanceType: "g5.xlarge" };
		expect(place(cloud)).toBe("aws us-west-2 g5.xlarge on-demand");
		expect(place({ ...cloud, zone: "us-west-2d", capacityType: "spot" })).toBe("aws us-west-2d g5.xlarge spot");
		expect(place({ ...cloud, siteId: "local", capacityType: "owned" })).toBe("home (local)");
		expect(place(null)).toBe("–");
	});
});
