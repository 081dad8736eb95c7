import { describe, expect, it } from "vitest";
import { syntheticTrace } from "./synthetic-trace.ts";

describe("a synthetic trace", () => {
	const asked = { jobs: 20_000, ownedGpus: 384, load: 0.97, seed: 1 };
	const jobs = syntheticTrace(asked);

	it("is the same for the same arguments, and different for another seed", () => {
		expect(syntheticTrace(asked)).toEqual(jobs);
		expect(syntheticTrace({ ...asked, seed: 2 })).not.toEqual(jobs);
	});

	it("requests the GPU-hours of its load within its span, however long it is", () => {
		for (const count of [2_000, 20_000]) {
			const trace = syntheticTrace({ ...asked, jobs: count });
			const gpuMs = trace.reduce((sum, job) => sum + job.gpus * job.durationMs, 0);
			expect(gpuMs / ((trace.at(-1)?.submitMs ?? 0) * asked.ownedGpus)).toBeCloseTo(0.97, 1);
		}
	});

	it("is in submission order, with the sizes and run times of its source", () => {
		expect(jobs.every((job, i) => i === 0 || (jobs[i - 1]?.submitMs ?? 0) <= job.submitMs)).toBe(true);
		const ones = jobs.filter(({ gpus }) => gpus === 1);
		expect(ones.length / jobs.length).toBeCloseTo(0.932, 1);
		const lengths = ones.map(({ durationMs }) => durationMs / 1000).sort((a, b) => a - b);
		const ratio = (share: number, expected: number): number => (lengths[Math.floor(lengths.length * share)] ?? 0) / expected;
		expect(Math.abs(ratio(0.5, 1117) - 1)).toBeLessThan(0.1);
		expect(Math.abs(ratio(0.9, 8512) - 1)).toBeLessThan(0.1);
	});
});
