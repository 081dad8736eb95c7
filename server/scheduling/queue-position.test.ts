import { describe, expect, it } from "vitest";
import { LIMITS } from "./limits.ts";
import { queuePosition } from "./queue-position.ts";
import type { PendingJob } from "./types.ts";

const NOW = 1_000_000_000;
const job = (jobId: string, priority: number, some: { deadlineMs?: number; waitedMs?: number } = {}): PendingJob =>
	({
		jobId,
		pendingSinceMs: NOW - (some.waitedMs ?? 0),
		spec: { priority, deadlineMs: some.deadlineMs ?? null },
	}) as PendingJob;

describe("queuePosition", () => {
	it("is behind higher ranks, and a range between equals", () => {
		const pending = [job("a", 60), job("b", 50), job("c", 50), job("d", 40)];
		expect(queuePosition(pending, "b", NOW)).toEqual({ from: 2, to: 3, of: 4 });
		expect(queuePosition(pending, "a", NOW)).toEqual({ from: 1, to: 1, of: 4 });
		expect(queuePosition(pending, "d", NOW)).toEqual({ from: 4, to: 4, of: 4 });
	});

	it("assumes that a job with a deadline may still pass others", () => {
		const pending = [job("plain", 50), job("due", 50 - LIMITS.urgentPoints + 1, { deadlineMs: NOW + 1 })];
		expect(queuePosition(pending, "plain", NOW)).toEqual({ from: 1, to: 2, of: 2 });
		expect(queuePosition(pending, "due", NOW)).toEqual({ from: 1, to: 2, of: 2 });
	});

	it("counts waiting as points", () => {
		const pending = [job("old", 50, { waitedMs: 2 * LIMITS.ageingMsPerPoint }), job("new", 51)];
		expect(queuePosition(pending, "new", NOW)).toEqual({ from: 2, to: 2, of: 2 });
	});

	it("is null for a job that is not pending", () => expect(queuePosition([], "a", NOW)).toBeNull());
});
