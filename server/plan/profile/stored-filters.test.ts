import fc from "fast-check";
import { expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { JobColumns, UNKNOWN_MODEL } from "../history/columns.ts";
import { demandProfile, hoursOf } from "./demand.ts";
import { type FilterProfiles, filterProfiles, type JobFilter, OTHER_MODELS, OTHER_TEAMS } from "./filter-profiles.ts";
import { encodeFilters, FIRST_READ_BYTES, findProfile } from "./stored-filters.ts";

const START_MS = Date.UTC(2026, 0, 5, 7, 30);
const CAPACITY_GPUS = 8;
const NO_WAITS = { all: null, byTeam: [], byClass: [], bySize: [] };
const job = fc.record({
	submitMs: fc.integer({ min: 0, max: 400 * HOUR_MS }),
	durationMs: fc.integer({ min: 1, max: 60 * HOUR_MS }),
	gpus: fc.integer({ min: 1, max: 64 }),
	team: fc.constantFrom("risk", "küche", "ads"),
	workloadClass: fc.constantFrom("burst", "baseline"),
	gpuModel: fc.constantFrom("A100-80GB", "H100-80GB", null),
});
type Job = typeof job extends fc.Arbitrary<infer T> ? T : never;

function columnsOf(jobs: readonly Job[]): JobColumns {
	const columns = new JobColumns();
	for (const facts of jobs)
		columns.add({
			...{ ...facts, user: null, name: null, deadlineMs: null, status: null, waitMs: null },
			...{ savesCheckpoints: null, inputGiB: null, isSensitive: null },
		});
	return columns;
}

/** Profiles with demand alone. */
function profilesOf(jobs: readonly Job[]): FilterProfiles {
	const columns = columnsOf(jobs);
	const { fromHour, demand } = hoursOf(columns, START_MS, null);
	return filterProfiles(columns, START_MS, (rows) => {
		const hours = hoursOf(columns.pick(rows), START_MS, null, { fromHour, hours: demand.length });
		return { jobs: rows.length, demand: demandProfile(hours, CAPACITY_GPUS), waits: NO_WAITS, candidates: [], candidatesLeftOut: 0 };
	});
}

function readerOf(bytes: Buffer) {
	const reads: number[] = [];
	const read = async (at: number, length: number) => {
		reads.push(length);
		return bytes.subarray(at, at + length);
	};
	return { read, reads };
}

it("finds the profile of the jobs that match, after it was stored", async () => {
	const property = fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 40 }), async (jobs) => {
		const { read } = readerOf(encodeFilters(profilesOf(jobs), CAPACITY_GPUS));
		const whole = hoursOf(columnsOf(jobs), START_MS, null);
		const filters: JobFilter[] = [
			{},
			{ team: "risk" },
			{ gpuModel: "A100-80GB" },
			{ gpuModel: UNKNOWN_MODEL, workloadClass: "burst" },
			{ team: "ads", workloadClass: "baseline", gpuModel: "H100-80GB" },
		];
		for (const filter of filters) {
			const matching = jobs.filter(
				({ team, workloadClass, gpuModel }) =>
					team === (filter.team ?? team) &&
					workloadClass === (filter.workloadClass ?? workloadClass) &&
					(gpuModel ?? UNKNOWN_MODEL) === (filter.gpuModel ?? gpuModel ?? UNKNOWN_MODEL),
			);
			const span = { fromHour: whole.fromHour, hours: whole.demand.length };
			const found = await findProfile(read, filter);
			expect(found?.profile.jobs).toBe(matching.length);
			const demand = demandProfile(hoursOf(columnsOf(matching), START_MS, null, span), CAPACITY_GPUS);
			// JSON has no -0.
			expect(found?.profile.demand).toEqual(JSON.parse(JSON.stringify(demand)));
			expect(found?.teams).toEqual([...new Set(jobs.map(({ team }) => team))].sort());
		}
	});
	await fc.assert(property, { numRuns: 30 });
});

it("reads the index and one profile, and stores filters that match the same jobs once", async () => {
	const jobs: Job[] = [{ submitMs: 0, durationMs: HOUR_MS, gpus: 1, team: "risk", workloadClass: "burst", gpuModel: null }];
	const profiles = profilesOf(jobs);
	expect([profiles.filters.length, profiles.profiles.length]).toEqual([8, 1]);
	const bytes = encodeFilters(profiles, CAPACITY_GPUS);
	const { read, reads } = readerOf(bytes);
	await findProfile(read, { team: "risk" });
	expect([reads.length, reads[0]]).toEqual([2, FIRST_READ_BYTES]);
	expect(await findProfile(readerOf(Buffer.from("older")).read, {})).toBeNull();
	expect(await findProfile(readerOf(Buffer.alloc(0)).read, {})).toBeNull();
});

/** Forty teams, the first with the most jobs. */
function fortyTeams(submitMs: (i: number) => number): Job[] {
	return Array.from({ length: 40 }, (_, i) => Array.from({ length: 40 - i }, () => i))
		.flat()
		.map((i) => ({ submitMs: submitMs(i), durationMs: HOUR_MS, gpus: 1, team: `t${i}` as never, workloadClass: "burst", gpuModel: null }));
}

it("puts the teams beyond the thirty largest together, and the GPU models beyond the eight largest", () => {
	const { teams, filters, profiles } = profilesOf(fortyTeams((i) => i));
	expect(teams).toHaveLength(31);
	const rest = filters.find(({ filter }) => filter.team === OTHER_TEAMS && filter.gpuModel === undefined);
	expect(profiles[rest?.profile ?? -1]?.jobs).toBe(55);
	const { gpuModels } = profilesOf(fortyTeams((i) => i).map((one) => ({ ...one, team: "risk", gpuModel: one.team as never })));
	expect(gpuModels).toEqual([OTHER_MODELS, "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"]);
});

it("keeps fewer teams apart in a history of decades, so that its size is bounded", () => {
	const decades = 60 * 365 * 24 * HOUR_MS;
	const columns = columnsOf(fortyTeams((i) => (i * decades) / 39));
	const demand = demandProfile({ fromHour: 0, demand: new Float64Array(1), used: null, waiting: null }, CAPACITY_GPUS);
	const { teams, profiles } = filterProfiles(columns, START_MS, (rows) => ({
		...{ jobs: rows.length, demand, waits: NO_WAITS, candidates: [], candidatesLeftOut: 0 },
	}));
	expect(teams.length).toBeGreaterThan(10);
	expect(teams.length).toBeLessThan(31);
	expect(profiles[0]?.jobs).toBe(820);
});
