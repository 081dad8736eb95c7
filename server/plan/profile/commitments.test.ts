import { describe, expect, it } from "vitest";
import { adviseCommitment } from "./commitments.ts";

/** 4 GPUs owned. Overflow: 6 GPUs in one of four hours, 2 in two, none in one. */
const DEMAND = Float64Array.from([10, 6, 6, 0]);
const at = (discountShare: number, onDemandUsd: number | null = 2) => adviseCommitment(DEMAND, 4, { onDemandUsd, discountShare });

describe("the commitments advisor", () => {
	it("reserves GPUs that are used for more than the break-even share", () => {
		// Two GPUs are used in three of four hours: above 60%, below 80%.
		expect(at(0.4)).toMatchObject({ bestGpus: 2, breakEvenShare: 0.6 });
		expect(at(0.2).bestGpus).toBe(0);
		expect(at(0.8).bestGpus).toBe(6);
	});
	it("saves price × (used hours − paid hours), by hand", () => {
		// 2 GPUs: used for 6 of 8 GPU-hours at $2, paid 8 × $2 × 0.6.
		const step = at(0.4).steps.find(({ gpus }) => gpus === 2);
		expect(step).toMatchObject({ filled: 0.75, savedUsd: Math.round(6 * 2 - 8 * 2 * 0.6) });
	});
	it("shows the regret if demand falls by 20%", () => {
		// 8, 4.8, 4.8 and 0 GPUs: overflow 4, 0.8, 0.8, 0; two GPUs are used for 3.6 GPU-hours.
		expect(at(0.4).regretUsd).toBe(Math.round(8 * 2 * 0.6 - 3.6 * 2));
	});
	it("gives no advice without a price, or without overflow", () => {
		expect(at(0.4, null)).toMatchObject({ bestGpus: 0, steps: [] });
		expect(adviseCommitment(new Float64Array(4), 4, { onDemandUsd: 2, discountShare: 0.4 }).bestGpus).toBe(0);
	});
});
