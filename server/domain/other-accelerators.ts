/**
 * Accelerators that are no GPUs, by the names that prices and offers have, with other spellings of each: what Google Kubernetes
 * Engine labels its nodes with, and what people write. A program for GPUs does not run on them.
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

/** Case, spaces and underscores do not count. */
const keyOf = (name: string): string =>
	name
		.trim()
		.toLowerCase()
		.replace(/[\s_]+/g, "-");

const BY_KEY = new Map(Object.entries(OTHER_ACCELERATORS).flatMap(([name, more]) => [name, ...more].map((n) => [keyOf(n), name] as const)));

/** Whether it runs only what was written for it: a job has it only by its name. */
export function isOtherThanGpu(accelerator: string): boolean {
	return NO_GPU.test(accelerator);
}

/** The accelerator that a name means, of those that are no GPUs; null when it is none of them. */
export function otherAcceleratorNamed(name: string): string | null {
	return BY_KEY.get(keyOf(name)) ?? null;
}
