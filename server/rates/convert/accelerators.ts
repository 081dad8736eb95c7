import type { AcceleratorFile } from "../accelerators.ts";
import { type CsvRow, optionalNumber, required, requiredNumber } from "./csv.ts";

interface AcceleratorSpec {
	memoryGiB: number;
	/** Row of the raw power table. */
	powerRow: string | null;
	/** Board power where the table has none, or a wrong one. */
	power?: { watts: number; source: string };
	aliases: string[];
}

/** The boards sold by the three clouds (SXM if there is a choice). */
const ACCELERATORS: Record<string, AcceleratorSpec> = {
	"H100-80GB": {
		memoryGiB: 80,
		powerRow: "H100 SXM",
		aliases: ["H100", "nvidia-h100-80gb", "nvidia-h100-mega-80gb", "NVIDIA-H100-80GB-HBM3", "h100-sxm", "h100-sxm5"],
	},
	"H200-141GB": {
		memoryGiB: 141,
		powerRow: null,
		power: { watts: 700, source: "https://huggingface.co/hardware/h200" },
		aliases: ["H200", "nvidia-h200-141gb", "NVIDIA-H200"],
	},
	"B200-180GB": {
		memoryGiB: 180,
		powerRow: null,
		power: { watts: 1000, source: "https://docs.vultr.com/inference-cookbook/cuda/getting-started/hardware-overview" },
		aliases: ["B200", "nvidia-b200", "NVIDIA-B200"],
	},
	"MI300X-192GB": {
		memoryGiB: 192,
		powerRow: null,
		power: { watts: 750, source: "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html" },
		aliases: ["MI300X", "amd-instinct-mi300x", "AMD-Instinct-MI300X-OAM"],
	},
	"A100-40GB": {
		memoryGiB: 40,
		// The same SXM4 board as the 80 GB one, with less memory.
		powerRow: "A100 SXM4 80 GB",
		aliases: ["nvidia-tesla-a100", "NVIDIA-A100-SXM4-40GB", "a100-40g"],
	},
	"A100-80GB": {
		memoryGiB: 80,
		powerRow: "A100 SXM4 80 GB",
		aliases: ["nvidia-a100-80gb", "NVIDIA-A100-SXM4-80GB", "a100-80g"],
	},
	"A10G-24GB": { memoryGiB: 24, powerRow: "A10G", aliases: ["A10G", "NVIDIA-A10G"] },
	"L4-24GB": { memoryGiB: 24, powerRow: "L4", aliases: ["L4", "nvidia-l4", "NVIDIA-L4"] },
	"L40S-48GB": { memoryGiB: 48, powerRow: "L40S", aliases: ["L40S", "NVIDIA-L40S"] },
	"T4-16GB": { memoryGiB: 16, powerRow: "T4", aliases: ["T4", "nvidia-tesla-t4", "Tesla-T4"] },
	"V100-16GB": {
		memoryGiB: 16,
		powerRow: "Tesla V100-SXM2-16GB",
		// The table has the figures of SXM2 and PCIe swapped.
		power: {
			watts: 300,
			source: "http://www.hwupgrade.it/news/skvideo/nvidia-tesla-v100-da-fine-anno-anche-su-slot-pci-express_69475.html",
		},
		aliases: ["nvidia-tesla-v100", "Tesla-V100-SXM2-16GB", "v100-16g"],
	},
	"V100-32GB": { memoryGiB: 32, powerRow: "Tesla V100-SXM2-32GB", aliases: ["Tesla-V100-SXM2-32GB", "v100-32g"] },
};

/** Ambiguous names: `A100` in a job means either model. */
const FAMILIES: Record<string, string[]> = { A100: ["A100-80GB", "A100-40GB"], V100: ["V100-32GB", "V100-16GB"] };

export function convertAccelerators(power: readonly CsvRow[]): AcceleratorFile {
	const accelerators = Object.entries(ACCELERATORS).map(([name, spec]) => {
		const row = power.find((r) => r.gpu === spec.powerRow);
		if (spec.powerRow !== null && !row) throw new Error(`gpu_power.csv has no row "${spec.powerRow}"`);
		const fromTable = row ? { watts: requiredNumber(row, "tdp_w"), source: required(row, "tdp_source") } : undefined;
		const board = spec.power ?? fromTable;
		if (!board) throw new Error(`no board power for ${name}`);
		return {
			name,
			memoryGiB: spec.memoryGiB,
			boardWatts: board.watts,
			boardWattsSource: board.source,
			minWatts: row ? optionalNumber(row, "ccf_min_w") : null,
			maxWatts: row ? optionalNumber(row, "ccf_max_w") : null,
			aliases: spec.aliases,
		};
	});
	return {
		asOf: "2026-11-21",
		sources: [
			"boardWatts: boardWattsSource, mostly as collected by mlco2/impact (MIT)",
			"minWatts, maxWatts: Cloud Carbon Footprint (Apache-2.0), idle and full load",
		],
		accelerators,
		families: FAMILIES,
	};
}
