import type { JobColumns } from "../history/columns.ts";
import type { DemandProfile, PlanAssessment } from "../types.ts";
import { firstHourOf, lastHourOf } from "./demand.ts";

/** Selects jobs. An absent field: of any. */
export interface JobFilter {
	team?: string | undefined;
	workloadClass?: string | undefined;
	/** GPU model, or UNKNOWN_MODEL. */
	gpuModel?: string | undefined;
}

/** What a study shows of the jobs that match a filter. */
export interface FilterProfile extends Pick<PlanAssessment, "candidates" | "candidatesLeftOut"> {
	jobs: number;
	demand: DemandProfile;
	waits: Omit<PlanAssessment["waits"], "basis">;
}

/** The profiles of all filters that match a job. Filters that match the same jobs share one. */
export interface FilterProfiles {
	/** Hours since 1970, UTC. */
	fromHour: number;
	hours: number;
	teams: string[];
	classes: string[];
	gpuModels: string[];
	filters: { filter: JobFilter; profile: number }[];
	profiles: FilterProfile[];
}

/** The most teams and GPU models that are kept apart, those with the most jobs; the rest share one name. */
const TEAMS_MAX = 30;
const GPU_MODELS_MAX = 8;
/** The most filters. With more, fewer teams are kept apart. */
const FILTERS_MAX = 1_000;
/** Of all profiles, as JSON. */
const BYTES_MAX = 200_000_000;
/** Of a profile: measured on 25 candidates with long names, and on each day of demand. */
const BYTES_EACH = 40_000;
const BYTES_PER_DAY = 60;
/** A team with a longer name cannot be asked for. */
const NAME_MAX = 200;
/** The name of the rest. A team of a trace that has this name belongs to it. */
export const OTHER_TEAMS = "(other teams)";
export const OTHER_MODELS = "(other models)";

type Names = Required<{ [key in keyof JobFilter]: string }>;
const KEYS = ["team", "workloadClass", "gpuModel"] as const;

/** The jobs of one team, class and GPU model. */
interface Cell extends Names {
	/** Of the history, ascending. */
	rows: number[];
}

/**
 * Profiles the jobs of each team, class and GPU model, and of each combination of them. Cost: seven passes over the jobs.
 * @param profileOf of these rows of `jobs`, in ascending order
 */
export function filterProfiles(jobs: JobColumns, startMs: number, profileOf: (rows: ArrayLike<number>) => FilterProfile): FilterProfiles {
	const fromHour = firstHourOf(jobs, startMs);
	const hours = lastHourOf(jobs, startMs) - fromHour + 1;
	const cells = cellsOf(jobs, hours);
	const profiles: FilterProfile[] = [];
	const known = new Map<string, number>();
	const profileFor = (some: readonly Cell[]): number => {
		const key = some.map((cell) => cells.indexOf(cell)).join();
		const profile = known.get(key) ?? profiles.push(profileOf(rowsOf(some))) - 1;
		known.set(key, profile);
		return profile;
	};
	const filters = subsets(KEYS).flatMap((keys) =>
		[...Map.groupBy(cells, (cell) => JSON.stringify(keys.map((key) => cell[key]))).values()].map((some) => ({
			filter: Object.fromEntries(keys.map((key) => [key, some[0]?.[key]])),
			profile: profileFor(some),
		})),
	);
	const namesOf = (key: keyof Names) => [...new Set(cells.map((cell) => cell[key]))].sort();
	const names = { teams: namesOf("team"), classes: namesOf("workloadClass"), gpuModels: namesOf("gpuModel") };
	return { fromHour, hours, ...names, filters, profiles };
}

function subsets<T>(items: readonly T[]): T[][] {
	let sets: T[][] = [[]];
	for (const item of items) sets = sets.concat(sets.map((set) => set.concat(item)));
	return sets;
}

function rowsOf(cells: readonly Cell[]): ArrayLike<number> {
	const [only] = cells;
	if (only && cells.length === 1) return only.rows;
	const rows = new Uint32Array(cells.reduce((sum, cell) => sum + cell.rows.length, 0));
	let at = 0;
	for (const cell of cells) {
		rows.set(cell.rows, at);
		at += cell.rows.length;
	}
	return rows.sort();
}

function cellsOf(jobs: JobColumns, hours: number): Cell[] {
	const models = largest(jobs.gpuModels.list, jobs.gpuModel, jobs.length, GPU_MODELS_MAX);
	const filtersMax = Math.min(FILTERS_MAX, BYTES_MAX / (BYTES_EACH + (hours / 24) * BYTES_PER_DAY));
	// One more for the rest of the models, and one for any.
	const perTeam = (jobs.classes.list.length + 1) * (models.size + 2);
	const teamsMax = Math.min(TEAMS_MAX, Math.floor(filtersMax / perTeam) - 2);
	const teams = largest(jobs.teams.list, jobs.team, jobs.length, teamsMax);
	const cells = new Map<string, Cell>();
	for (let i = 0; i < jobs.length; i++) {
		const team = named(jobs.teams.list, jobs.at(jobs.team, i), teams, OTHER_TEAMS);
		const workloadClass = jobs.classes.list[jobs.at(jobs.workloadClass, i)] ?? "";
		const gpuModel = named(jobs.gpuModels.list, jobs.at(jobs.gpuModel, i), models, OTHER_MODELS);
		const key = `${team}\n${workloadClass}\n${gpuModel}`;
		const cell = cells.get(key) ?? { team, workloadClass, gpuModel, rows: [] };
		cells.set(key, cell);
		cell.rows.push(i);
	}
	return [...cells.values()];
}

function named(list: readonly string[], index: number, own: ReadonlySet<string>, other: string): string {
	const name = list[index] ?? "";
	return own.has(name) ? name : other;
}

/** The names with the most jobs. */
function largest(list: readonly string[], column: ArrayLike<number>, length: number, max: number): Set<string> {
	const counts = new Float64Array(list.length);
	for (let i = 0; i < length; i++) {
		const name = column[i] ?? 0;
		counts[name] = (counts[name] ?? 0) + 1;
	}
	const order = list
		.map((name, i) => ({ name, count: counts[i] ?? 0 }))
		.filter(({ name }) => name.length <= NAME_MAX)
		.sort((a, b) => b.count - a.count);
	return new Set(order.slice(0, Math.max(0, max)).map(({ name }) => name));
}
