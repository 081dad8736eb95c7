/**
 * Capabilities that follow from a canonical accelerator name, such as `A100-80GB`. Names are canonical
 * (server/rates/accelerators.ts) wherever a shipped model is meant.
 */

/** Memory of one accelerator in GiB, or null when its name does not state it. */
export function gpuMemoryGiBOf(accelerator: string): number | null {
	const match = /-(\d+)GB$/i.exec(accelerator);
	return match ? Number(match[1]) : null;
}

/**
 * NVIDIA generations before Ampere have no bfloat16 units (CUDA C++ Programming Guide, "Arithmetic Instructions":
 * `__nv_bfloat16` needs compute capability 8.0).
 */
const WITHOUT_BF16 = /^(?:nvidia-|tesla-)*(?:k\d{2}|m\d{2}|p\d{1,3}|v100|t4|t1000|titan|quadro-rtx|rtx-20\d\d|gtx)/i;

/** False only for models known to lack bfloat16; unknown models count as capable. */
export function hasBf16(accelerator: string): boolean {
	return !WITHOUT_BF16.test(accelerator);
}
