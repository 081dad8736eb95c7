import type { ParsedGcpSettings } from "./settings.ts";

/** Machine series with built-in TPU chips in Compute Engine. They have their own images and support fewer disk types. */
const TPU_MACHINE = /^(ct5p|ct6e)-/;

/** This image contains the drivers. */
const TPU_IMAGE = "projects/ubuntu-os-accelerator-images/global/images/family/ubuntu-accel-2204-amd64-tpu-v5e-v5p-v6e";

/** The boot image of a machine of this type. */
export interface BootDisk {
	image: string;
	type: string;
	gib: number;
}

export function bootDiskOf(instanceType: string, settings: ParsedGcpSettings): BootDisk {
	const { bootDiskGb: gib, bootDiskType: type, image, tpuImage = TPU_IMAGE } = settings;
	const series = TPU_MACHINE.exec(instanceType)?.[1];
	if (series === undefined) return { image, type, gib };
	// "Attach durable block storage to a TPU VM": v6e supports Hyperdisk Balanced and ML, v5p Balanced Persistent Disk.
	return { image: tpuImage, type: series === "ct6e" ? "hyperdisk-balanced" : "pd-balanced", gib };
}
