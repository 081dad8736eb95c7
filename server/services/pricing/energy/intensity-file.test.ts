import { describe, expect, it } from "vitest";
import { readIntensityFile } from "./intensity-file.ts";

const at = (text: string) => Date.parse(text);

describe("hourly intensities from a file", () => {
	it("reads CSV with the columns zone, ts and g_per_kwh, whatever other columns it has", () => {
		const text =
			"zone,ts,g_per_kwh,g_per_kwh_direct,estimated\nGB,2022-01-01T00:00:00Z,89.98,52.2,0\nGB,2022-01-01T01:00:00Z,91.5784,53.12,0\n";
		expect(readIntensityFile(text)).toEqual([
			{ zone: "GB", hourMs: at("2022-01-01T00:00:00Z"), milligramsPerKwh: 89_980 },
			{ zone: "GB", hourMs: at("2022-01-01T01:00:00Z"), milligramsPerKwh: 91_578 },
		]);
	});

	it("reads the CSV of Electricity Maps' data portal, with implicit UTC times", () => {
		const text =
			'\ufeffDatetime (UTC),Country,Zone name,Zone id,Carbon intensity gCO₂eq/kWh (direct),Carbon intensity gCO₂eq/kWh (Life cycle)\n2024-01-01 00:00:00,Germany,"Germany, all",DE,120.1,180.25\n';
		expect(readIntensityFile(text)).toEqual([{ zone: "DE", hourMs: at("2024-01-01T00:00:00Z"), milligramsPerKwh: 180_250 }]);
	});

	it("reads Electricity Maps' history as JSON and skips hours without a value", () => {
		const text = JSON.stringify({
			zone: "DE",
			history: [
				{ zone: "DE", carbonIntensity: 302, datetime: "2026-11-20T11:00:00.000Z", isEstimated: false },
				{ zone: "DE", carbonIntensity: null, datetime: "2026-11-20T12:00:00.000Z" },
			],
		});
		expect(readIntensityFile(text)).toEqual([{ zone: "DE", hourMs: at("2026-11-20T11:00:00Z"), milligramsPerKwh: 302_000 }]);
		expect(readIntensityFile('{"zone":"FR","data":[{"carbonIntensity":21,"datetime":"2026-11-20T11:00:00Z"}]}')[0]?.zone).toBe("FR");
	});

	it("imports a file under another zone's name, or assigns one, but not several zones under one", () => {
		const text = "zone,hour,g_per_kwh\nDE-LU,2026-11-01T00:00:00Z,300\n";
		expect(readIntensityFile(text, "DE")[0]?.zone).toBe("DE");
		expect(readIntensityFile("ts,g_per_kwh\n2026-11-01T00:00:00Z,300\n", "DE")[0]?.zone).toBe("DE");
		expect(() => readIntensityFile(`${text}FR,2026-11-01T00:00:00Z,30\n`, "DE")).toThrow(/2 zones \(DE-LU, FR\)/);
	});

	it.each([
		["", /no column for the hour/],
		["zone,ts,g_per_kwh\n", /no hours/],
		["ts,g_per_kwh\n2026-11-01T00:00:00Z,300\n", /names no zone/],
		["zone,g_per_kwh\nDE,300\n", /no column for the hour/],
		["zone,ts,price\nDE,2026-11-01T00:00:00Z,300\n", /no column for the intensity/],
		["zone,ts,g_per_kwh\nDE,2026-11-01T00:30:00Z,300\n", /line 2: .* not the start of a UTC hour/],
		["zone,ts,g_per_kwh\nDE,2026-11-01T00:00:00Z,-1\n", /line 2: "-1" is not between 0 and 2000/],
		["zone,ts,g_per_kwh\nDE,2026-11-01T00:00:00Z,lots\n", /"lots" is not between/],
		["zone,ts,g_per_kwh\nde; drop,2026-11-01T00:00:00Z,1\n", /no grid zone/],
		["zone,ts,g_per_kwh\nDE,2026-11-01T00:00:00Z,300\nDE,2026-11-01T00:00:00Z,301\n", /line 3 and line 2 give different figures/],
		["zone,ts,g_per_kwh\nDE,2026-11-01T00:00:00Z\n", /line 2 has fewer values than the header has columns/],
		["zone,ts,g_per_kwh\nDE,2026-11-01T00:00:00Z,1,5\n", /line 2 has more values than the header has columns/],
		["zone,ts,g_per_kwh,G_per_kWh\nDE,2026-11-01T00:00:00Z,300,301\n", /names g_per_kwh twice/],
		["{", /not JSON/],
		['{"history":[{"datetime":1}]}', /history form/],
	])("rejects %j with the reason", (text, why) => {
		expect(() => readIntensityFile(text)).toThrow(why);
	});
});
