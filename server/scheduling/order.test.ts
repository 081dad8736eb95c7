import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "./limits.ts";
import { canStillMakeIt, compareQueued, queuedJob, refreshQueued } from "./order.ts";
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

describe("points for work", () => {
	const rest = (hours: number) => ({ p50Ms: hours * HOUR_MS, p90Ms: 2 * hours * HOUR_MS });
	const wide = aJob("wide")
		.gpus(4)
		.waited(30 * HOUR_MS)
		.build();
	const narrow = aJob("narrow").gpus(1).build();
	const namesBy = (pointsPerGpuHour: number, nowMs = NOON_MS) =>
		[queuedJob(wide, rest(10), nowMs, false, pointsPerGpuHour), queuedJob(narrow, rest(1), NOON_MS, false, pointsPerGpuHour)]
			.sort(compareQueued)
			.map(({ job }) => job.spec.name);

	it("put the job with less work first, until the other has waited longer by the difference", () => {
		expect(namesBy(0)).toEqual(["wide", "narrow"]);
		expect(namesBy(1)).toEqual(["narrow", "wide"]);
		expect(namesBy(1, NOON_MS + 10 * HOUR_MS)).toEqual(["wide", "narrow"]);
	});

	it("count nothing against a deadline that is near", () => {
		const due = aJob("due")
			.deadline(NOON_MS + 10.5 * HOUR_MS)
			.build();
		expect(queuedJob(due, rest(10), NOON_MS, true, 50).rank).toBe(due.spec.priority + LIMITS.urgentPoints);
	});

	it("are those of a changed policy in a kept entry", () => {
		const queued = queuedJob(wide, rest(10), NOON_MS, false, 1);
		expect(refreshQueued(queued, NOON_MS, false, 1)).toBe(queued);
		expect(refreshQueued(queued, NOON_MS, false, 2)).toEqual(queuedJob(wide, rest(10), NOON_MS, false, 2));
	});
});
