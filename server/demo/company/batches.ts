import { MINUTE_MS } from "#server/kernel/units.ts";
import { family } from "./families.ts";
import type { Batch } from "./traffic.ts";

const EVERY_DAY = { class: "batch_inference", perWorkday: 0, perWeekendDay: 0 } as const;

/** Ten nodes of work for the eight of Hall C. Waiting for a second turn would use up the deadline's slack, so the rest bursts. */
export const FOLDING: Batch = {
	family: family({
		...EVERY_DAY,
		...{ name: "esm-fold-", team: "genomics", project: "folding", gpus: 8, accelerators: ["A100-80GB"], hours: 15 },
	}),
	...{ everyMs: 30 * MINUTE_MS, jobs: 10, lengthMs: 6 * MINUTE_MS, deadlineMs: 40 * MINUTE_MS },
};

/**
 * Live batches at any hour. Without them, nights and weekends fit on the owned GPUs, and nothing bursts. Evaluation and scoring
 * use small GPUs, which the company does not own. Sizes and times are invented.
 */
export const COMPANY_BATCHES: readonly Batch[] = [
	FOLDING,
	{
		family: family({
			...EVERY_DAY,
			...{ name: "eval-", team: "foundation", project: "evals", gpus: 1, accelerators: ["L4-24GB", "A10G-24GB"], hours: 3 },
		}),
		...{ everyMs: 4 * MINUTE_MS, jobs: 2, lengthMs: 4 * MINUTE_MS, deadlineMs: null },
	},
	{
		family: family({
			...EVERY_DAY,
			...{ name: "asr-score-", team: "speech", project: "asr", gpus: 1, accelerators: ["L4-24GB"], hours: 3 },
		}),
		...{ everyMs: 5 * MINUTE_MS, jobs: 1, lengthMs: 4 * MINUTE_MS, deadlineMs: null },
	},
];
