import { describe, expect, it } from "vitest";
import { parseJobText } from "./job-file.ts";
import { cheapestSize, largerSizes, speedup } from "./scaling.ts";
import { withGpus } from "./sized-spec.ts";

const HOUR = 3_600_000;
const amdahl = { upTo: 64, parallel: 0.9 };
const curve = {
	upTo: 64,
	curve: [
		{ gpus: 8, speed: 100 },
		{ gpus: 16, speed: 190 },
		{ gpus: 64, speed: 430 },
	],
};
const job = (scaling: string): string => `apiVersion: spillway/v1
kind: Job
metadata: { name: t, team: a }
spec:
  command: [x]
  resources: { gpus: 8, cpus: 64 }
  duration: { estimate: 72h, max: 80h }
  scaling: ${scaling}
`;

describe("run time by GPUs", () => {
	it("follows Amdahl's law from the requested size up", () => {
		// A tenth stays; nine tenths are divided by 8.
		expect(speedup(amdahl, 8, 64)).toBeCloseTo(1 / (0.1 + 0.9 / 8), 12);
		expect(speedup(amdahl, 8, 8)).toBe(1);
		expect(speedup(amdahl, 8, 4)).toBeLessThan(1);
	});
	it("follows a measured curve, linear between points and flat beyond it", () => {
		expect(speedup(curve, 8, 16)).toBeCloseTo(1.9, 12);
		expect(speedup(curve, 8, 40)).toBeCloseTo(3.1, 12);
		expect(speedup(curve, 8, 128)).toBe(speedup(curve, 8, 64));
	});
	it("offers larger sizes up to the limit", () => {
		expect(largerSizes({ upTo: 48 }, 8)).toEqual([16, 32, 48]);
		expect(largerSizes({ upTo: 8 }, 8)).toEqual([]);
	});
	it("chooses a size only while an hour saved is worth its GPUs", () => {
		expect(cheapestSize(amdahl, 8, { perGpuHour: 2, perHour: 0 })).toBe(8);
		expect(cheapestSize(amdahl, 8, { perGpuHour: 2, perHour: 1_000 })).toBe(64);
		expect(cheapestSize(amdahl, 8, { perGpuHour: 2, perHour: 1_000 }, (gpus) => gpus < 64)).toBe(32);
	});
});

describe("scaling in a job file", () => {
	it("gives the same job on other GPUs, with times and CPUs adjusted", () => {
		const spec = parseJobText(job("{ parallel: 1, upTo: 64 }"));
		expect(spec.scaling).toEqual({ parallel: 1, upTo: 64 });
		const wide = withGpus(spec, { parallel: 1, upTo: 64 }, 64);
		expect([wide.nodes, wide.resources.gpus, wide.resources.cpus]).toEqual([8, 8, 64]);
		expect(wide.duration).toEqual({ estimateMs: 9 * HOUR, maxMs: 10 * HOUR });
	});
	it("reads a curve in any order, up to its largest size", () => {
		const spec = parseJobText(job("{ curve: [{ gpus: 64, speed: 4.3 }, { gpus: 8, speed: 1 }] }"));
		expect(spec.scaling).toEqual({
			curve: [
				{ gpus: 8, speed: 1 },
				{ gpus: 64, speed: 4.3 },
			],
			upTo: 64,
		});
	});
	it.each([
		["{ upTo: 64 }", "exactly one of parallel and curve"],
		["{ parallel: 0.9 }", "needs upTo"],
		["{ parallel: 1.2, upTo: 64 }", "parallel"],
		["{ parallel: 0.9, curve: [{ gpus: 8, speed: 1 }, { gpus: 16, speed: 2 }], upTo: 16 }", "exactly one of parallel and curve"],
		["{ curve: [{ gpus: 8, speed: 1 }, { gpus: 8, speed: 2 }] }", "twice"],
	])("rejects %s", (text, problem) => {
		expect(() => parseJobText(job(text))).toThrow(problem);
	});
});
