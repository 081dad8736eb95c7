import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { anySnapshot } from "./testing/arbitrary.ts";
import { aJob, NOON_MS } from "./testing/builders.ts";
import type { PendingJob, Snapshot } from "./types.ts";

const asked: fc.Arbitrary<PendingJob[]> = fc
	.array(
		fc.record({
			team: fc.constantFrom("risk", "vision"),
			class: fc.constantFrom("burst" as const, "experimental" as const, "baseline" as const),
			gpus: fc.integer({ min: 1, max: 4 }),
			nodes: fc.constantFrom(1, 1, 2),
			priority: fc.integer({ min: 0, max: 100 }),
			hours: fc.integer({ min: 1, max: 6 }),
			deadlineHours: fc.option(fc.integer({ min: 1, max: 12 })),
		}),
		{ minLength: 1, maxLength: 4 },
	)
	.map((jobs) =>
		jobs.map((j, i) => {
			const job = aJob(`zz${i}`)
				.team(j.team)
				.class(j.class)
				.gpus(j.gpus)
				.nodes(j.nodes)
				.priority(j.priority)
				.estimate(j.hours * HOUR_MS);
			return (j.deadlineHours === null ? job : job.deadline(NOON_MS + j.deadlineHours * HOUR_MS)).build();
		}),
	);

/** Both teams have equal shares, so a quoted job belongs to a team that already has one. */
const bothTeams = (snapshot: Snapshot): Snapshot => ({
	...snapshot,
	policy: {
		...snapshot.policy,
		shares: snapshot.policy.shares.length === 0 ? [] : ["risk", "vision"].map((team) => ({ team, weight: 1 })),
	},
});

describe("quoted jobs", () => {
	it("get the same result as if each were submitted alone", () => {
		fc.assert(
			fc.property(anySnapshot, asked, (drawn, jobs) => {
				const snapshot = bothTeams(drawn);
				const together = decide({ ...snapshot, pending: [...snapshot.pending, ...jobs] }, { asked: new Set(jobs.map((j) => j.jobId)) });
				for (const job of jobs) {
					const alone = decide({ ...snapshot, pending: [...snapshot.pending, job] }, { explain: new Set([job.jobId]) });
					const of = (plan: typeof alone) => plan.explanations.find((e) => e.jobId === job.jobId);
					expect(of(together)).toEqual(of(alone));
					expect(together.forecasts.get(job.jobId)).toEqual(alone.forecasts.get(job.jobId));
				}
			}),
			{ numRuns: cases(40, 200) },
		);
	});

	it("get the same result from a core that already decided, at this or another moment", () => {
		fc.assert(
			fc.property(anySnapshot, asked, asked, fc.boolean(), (snapshot, first, second, moved) => {
				const memo = { kept: new Map() };
				const later = moved ? { ...snapshot, nowMs: snapshot.nowMs + HOUR_MS } : snapshot;
				for (const [at, jobs] of [
					[snapshot, first],
					[later, second],
					[later, first],
					[later, second],
				] as const) {
					const [ids, pending] = [new Set(jobs.map((j) => j.jobId)), [...at.pending, ...jobs]];
					const plan = decide({ ...at, pending }, { asked: ids, memo });
					expect(plan.explanations).toEqual(decide({ ...at, pending }, { asked: ids }).explanations);
				}
			}),
			{ numRuns: cases(40, 200) },
		);
	});

	it("get no action", () => {
		fc.assert(
			fc.property(anySnapshot, asked, (snapshot, jobs) => {
				const ids = new Set(jobs.map((j) => j.jobId));
				const plan = decide({ ...snapshot, pending: [...snapshot.pending, ...jobs] }, { asked: ids });
				expect(plan.actions.filter((a) => ids.has(a.jobId) || ("forJobId" in a && ids.has(a.forJobId)))).toEqual([]);
			}),
			{ numRuns: cases(20, 100) },
		);
	});
});
