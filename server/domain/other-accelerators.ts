/**
 * Accelerators other than GPUs, by their names in prices and offers, with alternative spellings: Google Kubernetes
 * Engine node labels, and common ones. GPU programs do not run on them.
 */
const OTHER_ACCELERATORS: Readonly<Record<string, readonly string[]>> = {
	"TPU-v4": ["tpu-v4-podslice"],
	"TPU-v5e": ["tpu-v5-lite-podslice", "tpu-v5-lite-device", "v5litepod", "v5e"],
	"TPU-v5p": ["tpu-v5p-slice", "v5p"],
	"TPU-v6e": ["tpu-v6e-slice", "v6e"],
	Trainium: ["trn1"],
	Trainium2: ["trn2"],
	Inferentia2: ["inf2"],
};

const NO_GPU = /^(tpu|trainium|inferentia|gaudi)/i;

/** Ignores case, spaces and underscores. */
const keyOf = (name: string): string =>
	name
		.trim()
		.toLowerCase()
		.replace(/[\s_]+/g, "-");

const BY_KEY = new Map(Object.entries(OTHER_ACCELERATORS).flatMap(([name, more]) => [name, ...more].map((n) => [keyOf(n), name] as const)));

/** Whether it only runs programs written for it. Jobs get such an accelerator only by naming it. */
export function isOtherThanGpu(accelerator: string): boolean {
	return NO_GPU.test(accelerator);
}

/** The non-GPU accelerator with this name; null if there is none. */
export function otherAcceleratorNamed(name: string): string | null {
	return BY_KEY.get(keyOf(name)) ?? null;
}
