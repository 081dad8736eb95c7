import fc from "fast-check";
import { expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { JobColumns } from "../history/columns.ts";
import { hoursOf } from "./demand.ts";
import { type DemandFilter, decodeGroups, demandGroups, encodeGroups, filteredHours, OTHER_TEAMS } from "./demand-groups.ts";

const START_MS = Date.UTC(2026, 0, 5, 7, 30);
const job = fc.record({
	submitMs: fc.integer({ min: 0, max: 400 * HOUR_MS }),
	durationMs: fc.integer({ min: 1, max: 60 * HOUR_MS }),
	waitMs: fc.option(fc.integer({ min: 0, max: 30 * HOUR_MS })),
	gpus: fc.integer({ min: 1, max: 64 }),
	team: fc.constantFrom("risk", "küche", "ads"),
	workloadClass: fc.constantFrom("burst", "baseline"),
});
const profileOf = () => ({ waits: { all: null, byTeam: [], byClass: [], bySize: [] }, candidates: [], candidatesLeftOut: 0 });
type Job = typeof job extends fc.Arbitrary<infer T> ? T : never;

function columnsOf(jobs: readonly Job[]): JobColumns {
	const columns = new JobColumns();
	for (const facts of jobs)
		columns.add({
			...{ ...facts, user: null, name: null, deadlineMs: null, status: null },
			...{ savesCheckpoints: null, inputGiB: null, isSensitive: null },
		});
	return columns;
}

function waitsOf(jobs: readonly Job[]): Float64Array {
	return Float64Array.from(jobs, ({ waitMs }) => waitMs ?? Number.NaN);
}

it("adds up to the hours of the jobs that match, after it was stored", () => {
	fc.assert(
		fc.property(fc.array(job, { minLength: 1, maxLength: 40 }), fc.boolean(), (jobs, known) => {
			const stored = decodeGroups(encodeGroups(demandGroups(columnsOf(jobs), START_MS, known ? waitsOf(jobs) : null, profileOf)));
			const whole = hoursOf(columnsOf(jobs), START_MS, null);
			for (const filter of [
				{},
				{ team: "risk" },
				{ workloadClass: "burst" },
				{ team: "ads", workloadClass: "baseline" },
			] satisfies DemandFilter[]) {
				const matching = jobs.filter(
					({ team, workloadClass }) => team === (filter.team ?? team) && workloadClass === (filter.workloadClass ?? workloadClass),
				);
				const found = filteredHours(stored, filter);
				expect([found.jobs, found.hours.fromHour, found.hours.demand.length]).toEqual([
					matching.length,
					whole.fromHour,
					whole.demand.length,
				]);
				expect(found.hours.used === null).toBe(!known);
				if (matching.length === 0) continue;
				const own = hoursOf(columnsOf(matching), START_MS, known ? waitsOf(matching) : null);
				const at = (hour: number, series: Float64Array | null) => series?.[hour + whole.fromHour - own.fromHour] ?? 0;
				for (let h = 0; h < own.demand.length; h++) {
					const hour = h + own.fromHour - whole.fromHour;
					expect(found.hours.demand[hour]).toBeCloseTo(at(hour, own.demand), 3);
					if (known) expect(found.hours.used?.[hour]).toBeCloseTo(at(hour, own.used), 3);
				}
			}
		}),
	);
});

it("puts the teams beyond the thirty largest together", () => {
	const jobs: Job[] = Array.from({ length: 40 }, (_, i) => Array.from({ length: 40 - i }, () => i))
		.flat()
		.map((i) => ({ submitMs: i, durationMs: HOUR_MS, waitMs: null, gpus: 1, team: `t${i}` as never, workloadClass: "burst" as const }));
	const { groups } = demandGroups(columnsOf(jobs), START_MS, null, profileOf);
	expect(groups).toHaveLength(31);
	expect(groups.find(({ team }) => team === OTHER_TEAMS)?.jobs).toBe(55);
});

it("keeps fewer teams apart in a history of decades, so that its size is bounded", () => {
	const decades = 60 * 365 * 24 * HOUR_MS;
	const jobs: Job[] = Array.from({ length: 40 }, (_, i) => ({
		...{ submitMs: (i * decades) / 39, durationMs: HOUR_MS, waitMs: 0, gpus: 1, team: `t${i}` as never, workloadClass: "burst" as const },
	}));
	const { groups, hours } = demandGroups(columnsOf(jobs), START_MS, waitsOf(jobs), profileOf);
	expect(groups.length).toBeLessThan(6);
	expect(groups.length * hours).toBeLessThan(2.2e6);
	expect(groups.reduce((sum, group) => sum + group.jobs, 0)).toBe(40);
});
