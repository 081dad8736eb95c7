import type { ParsedGcpSettings } from "./settings.ts";

/** Series of machines with TPU chips inside that Compute Engine makes: they have their own images, and take fewer kinds of disks. */
const TPU_MACHINE = /^(ct5p|ct6e)-/;

/** Has the drivers. */
const TPU_IMAGE = "projects/ubuntu-os-accelerator-images/global/images/family/ubuntu-accel-2204-amd64-tpu-v5e-v5p-v6e";

/** What a machine of this type boots from. */
export interface BootDisk {
	image: string;
	type: string;
	gib: number;
}

export function bootDiskOf(instanceType: string, settings: ParsedGcpSettings): BootDisk {
	const { bootDiskGb: gib, bootDiskType: type, image, tpuImage = TPU_IMAGE } = settings;
	const series = TPU_MACHINE.exec(instanceType)?.[1];
	if (series === undefined) return { image, type, gib };
	// "Attach durable block storage to a TPU VM": v6e takes Hyperdisk Balanced and ML, v5p Balanced Persistent Disk.
	return { image: tpuImage, type: series === "ct6e" ? "hyperdisk-balanced" : "pd-balanced", gib };
}
