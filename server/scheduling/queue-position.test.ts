import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "./limits.ts";
import { queuePosition } from "./queue-position.ts";
import { aJob, aPolicy, NOON_MS } from "./testing/builders.ts";
import type { PendingJob } from "./types.ts";

const job = (name: string, priority: number, some: { deadlineMs?: number; waitedMs?: number; hours?: number } = {}): PendingJob => {
	const built = aJob(name)
		.priority(priority)
		.estimate((some.hours ?? 1) * HOUR_MS)
		.waited(some.waitedMs ?? 0);
	return { ...(some.deadlineMs === undefined ? built : built.deadline(some.deadlineMs)).build(), jobId: name };
};

const positionOf = (pending: PendingJob[], jobId: string, pointsPerGpuHour = 0) => {
	const weights = { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n, pointsPerGpuHour };
	return queuePosition({ pending, nowMs: NOON_MS, durations: [], policy: aPolicy({ weights }) }, jobId);
};

describe("queuePosition", () => {
	it("is behind higher ranks, and a range between equals", () => {
		const pending = [job("a", 60), job("b", 50), job("c", 50), job("d", 40)];
		expect(positionOf(pending, "b")).toEqual({ from: 2, to: 3, of: 4 });
		expect(positionOf(pending, "a")).toEqual({ from: 1, to: 1, of: 4 });
		expect(positionOf(pending, "d")).toEqual({ from: 4, to: 4, of: 4 });
	});

	it("assumes that a job with a deadline may still pass others", () => {
		const pending = [job("plain", 50), job("due", 50 - LIMITS.urgentPoints + 1, { deadlineMs: NOON_MS + 1 })];
		expect(positionOf(pending, "plain")).toEqual({ from: 1, to: 2, of: 2 });
		expect(positionOf(pending, "due")).toEqual({ from: 1, to: 2, of: 2 });
	});

	it("counts waiting as points", () => {
		const pending = [job("old", 50, { waitedMs: 2 * LIMITS.ageingMsPerPoint }), job("new", 51)];
		expect(positionOf(pending, "new")).toEqual({ from: 2, to: 2, of: 2 });
	});

	it("subtracts the policy's points for work", () => {
		const pending = [job("long", 50, { hours: 10, waitedMs: 3 * HOUR_MS }), job("short", 50)];
		expect(positionOf(pending, "short")).toEqual({ from: 2, to: 2, of: 2 });
		expect(positionOf(pending, "short", 1)).toEqual({ from: 1, to: 1, of: 2 });
	});

	it("is null for a job that is not pending", () => expect(positionOf([], "a")).toBeNull());
});
