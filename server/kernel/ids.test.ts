import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptIdOf, instanceIdOf, newId } from "./ids.ts";

const NOW = Date.UTC(2026, 10, 21);

describe("newId", () => {
	it("is a prefix and 26 characters without i, l, o and u", () => {
		expect(newId("job", NOW)).toMatch(/^job_[0-9a-hjkmnp-tv-z]{26}$/);
	});

	it("sorts by creation time", () => {
		fc.assert(
			fc.property(fc.nat(), fc.integer({ min: 1, max: 1e12 }), (at, later) => {
				expect(newId("job", at) < newId("job", at + later)).toBe(true);
			}),
		);
	});

	it("takes fractions of a millisecond", () => {
		expect(newId("job", NOW + 0.75)).toMatch(/^job_[0-9a-hjkmnp-tv-z]{26}$/);
	});

	it("does not repeat within a millisecond", () => {
		const ids = new Set(Array.from({ length: 10_000 }, () => newId("job", NOW)));
		expect(ids.size).toBe(10_000);
	});
});

describe("derived ids", () => {
	const job = newId("job", NOW);
	it("are the same for the same job, attempt and rank, and sort by the number of the attempt", () => {
		expect(attemptIdOf(job, 2)).toBe(attemptIdOf(job, 2));
		expect(attemptIdOf(job, 2) < attemptIdOf(job, 10)).toBe(true);
		expect(attemptIdOf(job, 2)).toBe(`att_${job.slice(4)}_002`);
	});

	it("differ for each instance and fit the 64 characters of an idempotency token", () => {
		const ids = [1, 2, 999].flatMap((attempt) => [0, 1, 255].map((rank) => instanceIdOf(job, attempt, rank)));
		expect(new Set(ids).size).toBe(ids.length);
		for (const id of ids) expect(id.length).toBeLessThanOrEqual(64);
	});
});
