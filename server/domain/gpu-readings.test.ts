import { describe, expect, it } from "vitest";
import { readGpuReadings } from "./gpu-readings.ts";

describe("GPU readings", () => {
	it("reads the DCGM exporter's metrics page", () => {
		const text = `# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1",modelName="NVIDIA A100",Hostname="gpu-01"} 87
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-2",modelName="NVIDIA A100",Hostname="gpu-01"} 3
DCGM_FI_DEV_FB_USED{gpu="0"} 40000
`;
		expect(readGpuReadings(text)).toEqual({ meter: "dcgm", percents: [87, 3] });
	});
	it.each(["", "hello", "0, 101 %", 'DCGM_FI_DEV_GPU_UTIL{gpu="0"} NaN'])("rejects %j", (text) => {
		expect(() => readGpuReadings(text)).toThrow();
	});
});
