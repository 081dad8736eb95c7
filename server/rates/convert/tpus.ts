import { microToUsdText, usdToMicro } from "../../kernel/money.ts";
import type { TpuName } from "../offers.ts";
import { type CsvRow, required } from "./csv.ts";

/** A machine with TPU chips, as sold by Compute Engine. */
interface TpuMachine {
	instanceType: string;
	chips: number;
	vcpus: number;
	memoryGiB: number;
}

/**
 * The types offered by Compute Engine ("TPU machines in accelerator-optimized machine family",
 * compute/docs/tpus/tpu-machines), with vCPUs and memory from "TPU v6e" and "Plan TPUs in GKE"; where the two differ
 * (memory of ct6e-standard-1t), the smaller. Compute Engine lists types of TPU v5e but cannot create them: only GKE
 * and their own API can.
 */
const MACHINES: Readonly<Record<TpuName, readonly TpuMachine[]>> = {
	"TPU-v5p": [
		{ instanceType: "ct5p-hightpu-1t", chips: 1, vcpus: 52, memoryGiB: 112 },
		{ instanceType: "ct5p-hightpu-2t", chips: 2, vcpus: 104, memoryGiB: 224 },
		{ instanceType: "ct5p-hightpu-4t", chips: 4, vcpus: 208, memoryGiB: 448 },
	],
	"TPU-v6e": [
		{ instanceType: "ct6e-standard-1t", chips: 1, vcpus: 44, memoryGiB: 176 },
		{ instanceType: "ct6e-standard-4t", chips: 4, vcpus: 180, memoryGiB: 720 },
		{ instanceType: "ct6e-standard-8t", chips: 8, vcpus: 180, memoryGiB: 1_440 },
	],
};

/**
 * A row of the raw catalog with the price of one chip, converted to rows for the machines with such chips: Google
 * bills by the chip.
 */
export function machinesOfChip(row: CsvRow): CsvRow[] {
	if (row.cloud !== "gcp" || !/-chip$/.test(required(row, "instance_type"))) return [row];
	const machines = MACHINES[required(row, "accelerator") as TpuName] ?? [];
	return machines.map(({ instanceType, chips, vcpus, memoryGiB }) => ({
		...row,
		instance_type: instanceType,
		accelerator_count: String(chips),
		vcpus: String(vcpus),
		memory_gib: String(memoryGiB),
		on_demand_usd_h: ofChips(row.on_demand_usd_h, chips),
		spot_usd_h: ofChips(row.spot_usd_h, chips),
	}));
}

function ofChips(usd: string | undefined, chips: number): string {
	return usd === undefined || usd === "" ? "" : microToUsdText(usdToMicro(usd) * BigInt(chips)).replace(/\.?0+$/, "");
}
