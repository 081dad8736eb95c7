import { describe, expect, it } from "vitest";
import {
	acceleratorEmbodied,
	embodiedOfHome,
	embodiedOfMachine,
	embodiedUnknowns,
	listAcceleratorEmbodied,
	unknownBoardPower,
} from "./accelerator-embodied.ts";
import { ACCELERATOR_NAMES, listAccelerators } from "./accelerators.ts";
import { listOffers, RATED_PROVIDERS } from "./offers.ts";

describe("embodied emissions of accelerators", () => {
	it("have a figure with source and date for every model, or a reason for its absence", () => {
		const unknown = embodiedUnknowns();
		for (const name of [...ACCELERATOR_NAMES, "TPU-v5e", "TPU-v5p", "TPU-v6e"]) {
			const known = acceleratorEmbodied(name);
			expect((known !== null) !== name in unknown, name).toBe(true);
			if (!known) continue;
			expect(known.kg).toBeGreaterThan(30);
			expect(known.kg).toBeLessThan(2_000);
			expect(known.url).toMatch(/^https:\/\//);
			expect(Date.parse(known.asOf)).toBeLessThan(Date.parse("2026-11-22"));
		}
	});

	it("cover the current models: H100, H200, B200, MI300X by board power, TPU v5e, v5p, v6e as unpublished", () => {
		const power = new Map<string, number>(listAccelerators().map((a) => [a.name, a.boardWatts]));
		expect(["H100-80GB", "H200-141GB", "B200-180GB", "MI300X-192GB"].map((name) => power.get(name))).toEqual([700, 700, 1_000, 750]);
		expect(Object.keys(unknownBoardPower())).toEqual(["TPU-v5e", "TPU-v5p", "TPU-v6e"]);
		for (const name of Object.keys(unknownBoardPower())) expect(power.has(name)).toBe(false);
	});

	it("use NVIDIA's figure for eight: 1,312 kg / 8 = 164 kg, 2,274 kg / 8 = 284.25 kg", () => {
		expect(acceleratorEmbodied("H100-80GB")).toMatchObject({ kg: 1_312 / 8, basis: "maker", includesHost: false });
		expect(acceleratorEmbodied("B200-180GB")).toMatchObject({ kg: 2_274 / 8, basis: "maker" });
		expect(listAcceleratorEmbodied().filter((a) => a.includesHost)).toHaveLength(2);
	});
});

describe("embodied emissions per GPU-hour", () => {
	it("p5.48xlarge: (8 × 164 + 1,000 + 100 + (2,048 − 16) × 533/384) kg = 5,232.46 kg / 8 / 35,040 h = 18.666 g", () => {
		const share = embodiedOfMachine({ provider: "aws", instanceType: "p5.48xlarge", accelerator: "H100-80GB", gpus: 8 });
		expect(share?.gramsPerGpuHour).toBeCloseTo(18.666, 3);
		expect(share?.basis).toBe("maker");
	});

	it("p4d.24xlarge is in the table of servers: 4,676.79 kg / 8 / 35,040 h = 16.684 g", () => {
		const share = embodiedOfMachine({ provider: "aws", instanceType: "p4d.24xlarge", accelerator: "A100-40GB", gpus: 8 });
		expect(share?.gramsPerGpuHour).toBeCloseTo(16.684, 3);
		expect(share?.basis).toBe("server_table");
	});

	it("g5.xlarge has its GPU and 4/192 of the host: (150 + (1,100 + 752 × 533/384) × 4/192) kg = 194.66 kg / 35,040 h = 5.555 g", () => {
		const share = embodiedOfMachine({ provider: "aws", instanceType: "g5.xlarge", accelerator: "A10G-24GB", gpus: 1 });
		expect(share?.gramsPerGpuHour).toBeCloseTo(5.555, 3);
	});

	it("a TPU v6e includes its host: 692 kg / 35,040 h = 19.749 g", () => {
		const share = embodiedOfMachine({ provider: "gcp", instanceType: "tpu-v6e-chip", accelerator: "TPU-v6e", gpus: 1 });
		expect(share?.gramsPerGpuHour).toBeCloseTo(19.749, 3);
	});

	it("at home: (164 + 1,100 / 8) kg / 35,040 h = 8.604 g; unknown stays unknown", () => {
		expect(embodiedOfHome({ accelerator: "H100-80GB", gpusPerNode: 8 })?.gramsPerGpuHour).toBeCloseTo(8.604, 3);
		expect(embodiedOfHome({ accelerator: "MI300X-192GB", gpusPerNode: 8 })).toBeNull();
		expect(embodiedOfMachine({ provider: "aws", instanceType: "x9.huge", accelerator: "H100-80GB", gpus: 8 })).toBeNull();
		expect(embodiedOfMachine({ provider: "local", instanceType: "", accelerator: "H100-80GB", gpus: 1 })).toBeNull();
	});

	it("are known for every offer of the snapshot, between 1 and 80 g per GPU-hour", () => {
		for (const provider of RATED_PROVIDERS) {
			for (const { instanceType, accelerator, gpus } of listOffers(provider)) {
				const grams = embodiedOfMachine({ provider, instanceType, accelerator, gpus })?.gramsPerGpuHour ?? Number.NaN;
				expect(grams > 1 && grams < 80, `${provider} ${instanceType}: ${grams}`).toBe(true);
			}
		}
	});
});
