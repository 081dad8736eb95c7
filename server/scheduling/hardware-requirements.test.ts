import { describe, expect, it } from "vitest";
import { gpuMemoryGiBOf, hasBf16 } from "#server/domain/accelerator-capabilities.ts";
import { hardwareFacts, hardwareRemoval } from "./removal.ts";
import { aJob } from "./testing/builders.ts";

describe("accelerator capabilities", () => {
	it.each([
		["A100-80GB", 80],
		["T4-16GB", 16],
		["TPU-v5e", null],
		["my-gpu", null],
	])("reads the memory of %s", (name, gib) => expect(gpuMemoryGiBOf(name)).toBe(gib));

	it.each([
		["K80", false],
		["P100-16GB", false],
		["V100-32GB", false],
		["T4-16GB", false],
		["A10G-24GB", true],
		["H100-80GB", true],
		["L4-24GB", true],
		["MI300X-192GB", true],
		["my-gpu", true],
	])("%s supports bfloat16: %s", (name, supported) => expect(hasBf16(name)).toBe(supported));

	it("excludes accelerators that cannot run the job, with the reason", () => {
		const machine = (accelerator: string) => ({ accelerator, gpus: 8, cpus: null, memoryGiB: null });
		const { spec } = aJob().build();
		const large = { ...spec, resources: { ...spec.resources, gpuMemoryGiB: 40 } };
		expect(hardwareRemoval(large, machine("A10G-24GB"))).toBe("hardware_gpu_memory");
		expect(hardwareFacts(large, machine("A10G-24GB"), "hardware_gpu_memory")).toEqual({ askedGiB: 40, hasGiB: 24 });
		expect(hardwareRemoval(large, machine("A100-40GB"))).toBeNull();
		const brain = { ...spec, resources: { ...spec.resources, bf16: true } };
		expect(hardwareRemoval(brain, machine("V100-16GB"))).toBe("hardware_bf16");
		expect(hardwareRemoval(brain, machine("A10G-24GB"))).toBeNull();
	});
});
