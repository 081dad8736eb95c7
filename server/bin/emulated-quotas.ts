/**
 * Quotas of the emulated accounts in each region, by the providers' own names. They are those of a company that has requested
 * more than a new account gets, which is close to 0. Chosen for the demo so that large machines run out and small ones do not.
 */
export const EMULATED_QUOTAS = {
	/** vCPUs: on demand and spot, for G and P machines. */
	aws: { "L-DB2E81BA": 768, "L-3819A6DF": 768, "L-417A185B": 1_152, "L-7212CCBC": 768 },
	/** Cores: all on-demand, all spot, and on-demand for the family of the smallest GPU machines. */
	azure: { cores: 1_000, lowPriorityCores: 700, standardNCAST4v3Family: 400 },
	/** GPUs. */
	gcp: {
		...{ NVIDIA_L4_GPUS: 64, PREEMPTIBLE_NVIDIA_L4_GPUS: 64, NVIDIA_A100_GPUS: 32, PREEMPTIBLE_NVIDIA_A100_GPUS: 32 },
		...{ NVIDIA_A100_80GB_GPUS: 32, PREEMPTIBLE_NVIDIA_A100_80GB_GPUS: 32 },
	},
} as const;
