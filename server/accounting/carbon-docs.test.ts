import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { splitAtHours } from "./calendar.ts";
import { type Footprint, footprintOfGpus, type PowerFacts } from "./carbon.ts";
import { softwareCarbonIntensity } from "./carbon-intensity.ts";

const page = readFileSync(new URL("../../docs/carbon.md", import.meta.url), "utf8");

function block(language: string): string {
	const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1];
	if (found === undefined) throw new Error(`docs/carbon.md has no ${language} block`);
	return found;
}

/** `name: number` lines. */
function fact(name: string): number {
	const value = new RegExp(`^${name}: ([\\d.]+)$`, "m").exec(block("yaml"))?.[1];
	if (value === undefined) throw new Error(`docs/carbon.md does not say ${name}`);
	return Number(value);
}

describe("docs/carbon.md", () => {
	it("shows a job with the emissions that the page states", () => {
		const gpus = fact("gpus");
		const ten = Date.UTC(2026, 10, 10, 10);
		const power: PowerFacts = {
			wattsPerGpu: fact("fullWatts"),
			pue: fact("pue"),
			gramsPerKwh: fact("averageGramsPerKwh"),
			hourlyMilligramsPerKwh: new Map([[ten, fact("hourlyGramsPerKwh") * 1_000]]),
			contractGramsPerKwh: fact("contractGramsPerKwh"),
			embodiedGramsPerGpuHour: (fact("embodiedKg") * 1_000) / (fact("lifeDays") * 24) / gpus,
			load: "busy",
		};
		const whole = { fromMs: ten + HOUR_MS / 2, toMs: ten + 2 * HOUR_MS };
		const hours = splitAtHours(whole).map((piece) => footprintOfGpus(power, gpus, piece));
		const sum = (pick: (f: Footprint) => bigint | null): bigint => hours.reduce((total, f) => total + (pick(f) ?? 0n), 0n);
		const emissionsMilligrams = sum((f) => f.emissionsMilligrams);
		const embodiedMilligrams = sum((f) => f.embodiedMilligrams);
		const sci = softwareCarbonIntensity({
			emissionsMilligrams,
			embodiedMilligrams,
			gpuMs: BigInt(gpus * (whole.toMs - whole.fromMs)),
		});
		const said = block("text")
			.split("\n")
			.map((line) => line.split(/\s{2,}/));
		expect(Object.fromEntries(said.map(([name, amount]) => [name, Number(amount)]))).toEqual({
			"energy, Wh": Number(sum((f) => f.energyMilliWh)) / 1e3,
			"by the hour, Wh": Number(sum((f) => f.hourlyGridMilliWh)) / 1e3,
			"10:30 to 11:00, g": Number(hours[0]?.emissionsMilligrams) / 1e3,
			"11:00 to 12:00, g": Number(hours[1]?.emissionsMilligrams) / 1e3,
			"location-based, g": Number(emissionsMilligrams) / 1e3,
			"market-based, g": Number(sum((f) => f.marketEmissionsMilligrams)) / 1e3,
			"embodied, g": Number(embodiedMilligrams) / 1e3,
			"SCI, g per GPU-hour": Number(sci.milligramsPerGpuHour) / 1e3,
			"SCI, g the job": Number(sci.milligramsPerJob) / 1e3,
		});
	});
});
