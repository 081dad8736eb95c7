import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "./limits.ts";
import { canStillMakeIt, queuedJob } from "./order.ts";
import { aJob, NOON_MS } from "./testing/builders.ts";

const REST = { p50Ms: HOUR_MS, p90Ms: 2 * HOUR_MS };

describe("a deadline without a declared run time", () => {
	const job = aJob("unsaid")
		.deadline(NOON_MS + 12 * HOUR_MS)
		.build();

	it("allows no wait, however short such runs were so far", () => {
		const queued = queuedJob({ ...job, spec: { ...job.spec, duration: { estimateMs: null, maxMs: null } } }, REST, NOON_MS, false);
		expect(queued.lateSlackMs).toBe(0);
		expect(queued.rank).toBe(job.spec.priority + LIMITS.urgentPoints);
	});

	it("allows a wait when the user declared the run time", () => {
		const queued = queuedJob({ ...job, spec: { ...job.spec, duration: { estimateMs: HOUR_MS, maxMs: null } } }, REST, NOON_MS, false);
		expect(queued.lateSlackMs).toBe(10 * HOUR_MS);
		expect(queued.rank).toBe(job.spec.priority);
	});

	it("may be met until it has passed", () => {
		const unsaid = { ...job, spec: { ...job.spec, duration: { estimateMs: null, maxMs: null } } };
		expect(canStillMakeIt(unsaid, REST, 1)).toBe(true);
		expect(canStillMakeIt(unsaid, REST, 0)).toBe(false);
	});
});
