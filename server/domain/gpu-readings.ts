import { SpillwayError } from "#server/kernel/errors.ts";

export interface GpuReadings {
	meter: "dcgm" | "nvidia_smi";
	/** Utilization of each GPU, 0 to 100. */
	percents: number[];
}

/** `DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="…",Hostname="gpu-01"} 87`, with or without a timestamp. */
const DCGM = /^DCGM_FI_DEV_GPU_UTIL(?:\{[^}]*\})?\s+(\S+)/;
/** `0, 87 %`, or `0, 87` with nounits. */
const NVIDIA_SMI = /^\s*\d{1,4}\s*,\s*(\d{1,3})\s*%?\s*$/;
const GPUS_MAX = 1_024;

/**
 * Reads the metrics page of the DCGM exporter (unit: percent), or `nvidia-smi --query-gpu=index,utilization.gpu
 * --format=csv`.
 * @throws SpillwayError `invalid_input` without a reading, or with one outside 0 to 100
 */
export function readGpuReadings(text: string): GpuReadings {
	const lines = text.split("\n");
	const dcgm = lines.flatMap((line) => DCGM.exec(line)?.[1] ?? []);
	const percents = (dcgm.length > 0 ? dcgm : lines.flatMap((line) => NVIDIA_SMI.exec(line)?.[1] ?? [])).map(Number);
	if (percents.length === 0 || percents.length > GPUS_MAX)
		throw new SpillwayError("invalid_input", `text has ${percents.length === 0 ? "no" : "too many"} GPU readings.`, {
			fix: "Send the DCGM exporter's metrics with DCGM_FI_DEV_GPU_UTIL, or nvidia-smi --query-gpu=index,utilization.gpu --format=csv.",
		});
	const wrong = percents.find((percent) => !(percent >= 0 && percent <= 100));
	if (wrong !== undefined)
		throw new SpillwayError("invalid_input", `A GPU's utilization is ${wrong}.`, { fix: "Send percentages from 0 to 100." });
	return { meter: dcgm.length > 0 ? "dcgm" : "nvidia_smi", percents };
}
