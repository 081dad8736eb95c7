import { deflateRawSync, inflateRawSync } from "node:zlib";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { JobColumns } from "../history/columns.ts";
import { firstHourOf, type Hours, lastHourOf } from "./demand.ts";
import { type FilterProfile, filterProfiles, type ProfileOfJobs } from "./filter-profiles.ts";
import { HourSeries } from "./hour-series.ts";

/** Teams that are kept apart, those with the most jobs; the rest share one group. */
const TEAMS_MAX = 30;
/** Hours of all groups together: 31 teams with 4 classes over two years. A longer history keeps fewer teams apart. */
const CELLS_MAX = 31 * 4 * 2 * 8_784;
/** A team with a longer name cannot be asked for. */
const NAME_MAX = 200;
/** Of the names, counts and profiles: 25 candidates for each of 159 filters are about 3 MB. */
const HEAD_BYTES_MAX = 16 * 1024 ** 2;
/** The name of the rest. A team of a trace that has this name belongs to it. */
export const OTHER_TEAMS = "(other teams)";

/** GPUs by hour of one team's jobs of one class. */
interface DemandGroup {
	team: string;
	workloadClass: string;
	jobs: number;
	demand: Float32Array;
	/** null: starts are unknown. */
	used: Float32Array | null;
}

/** A history's demand by team and class, hour by hour: what a filter needs, without its jobs. */
export interface DemandGroups {
	/** Hours since 1970, UTC. */
	fromHour: number;
	hours: number;
	groups: DemandGroup[];
	/** Waits and candidates by filter. null in studies of earlier releases. */
	profiles: FilterProfile[] | null;
}

export interface DemandFilter {
	team?: string | undefined;
	workloadClass?: string | undefined;
}

/**
 * @param waitsMs by row; null where starts are unknown
 * @param profileOf waits and candidates of these rows of `jobs`
 */
export function demandGroups(
	jobs: JobColumns,
	startMs: number,
	waitsMs: Float64Array | null,
	profileOf: (rows: readonly number[]) => ProfileOfJobs,
): DemandGroups {
	const fromHour = firstHourOf(jobs, startMs);
	const offsetMs = startMs - fromHour * HOUR_MS;
	const hours = lastHourOf(jobs, startMs) - fromHour + 1;
	const own = largestTeams(jobs, Math.floor(CELLS_MAX / (hours * jobs.classes.list.length)) - 1);
	const cells = new Map<string, { team: string; workloadClass: string; rows: number[]; demand: HourSeries; used: HourSeries }>();
	for (let i = 0; i < jobs.length; i++) {
		const name = jobs.teams.list[jobs.at(jobs.team, i)] ?? "";
		const team = own.has(name) ? name : OTHER_TEAMS;
		const workloadClass = jobs.classes.list[jobs.at(jobs.workloadClass, i)] ?? "";
		const key = JSON.stringify([team, workloadClass]);
		const cell = cells.get(key) ?? { team, workloadClass, rows: [], demand: new HourSeries(), used: new HourSeries() };
		cells.set(key, cell);
		const at = jobs.at(jobs.submitMs, i) + offsetMs;
		const [length, gpus] = [jobs.at(jobs.durationMs, i), jobs.at(jobs.gpus, i)];
		cell.rows.push(i);
		cell.demand.add(at, at + length, gpus);
		const wait = waitsMs?.[i] ?? Number.NaN;
		if (!Number.isNaN(wait)) cell.used.add(at + wait, at + wait + length, gpus);
	}
	const groups = [...cells.values()].map((cell) => ({
		...{ team: cell.team, workloadClass: cell.workloadClass, jobs: cell.rows.length },
		demand: Float32Array.from(cell.demand.finish(hours)),
		used: waitsMs && Float32Array.from(cell.used.finish(hours)),
	}));
	return { fromHour, hours, groups, profiles: filterProfiles([...cells.values()], profileOf) };
}

function largestTeams(jobs: JobColumns, roomFor: number): Set<string> {
	const counts = new Float64Array(jobs.teams.list.length);
	for (let i = 0; i < jobs.length; i++) {
		const team = jobs.at(jobs.team, i);
		counts[team] = (counts[team] ?? 0) + 1;
	}
	const order = jobs.teams.list
		.map((name, i) => ({ name, count: counts[i] ?? 0 }))
		.filter(({ name }) => name.length <= NAME_MAX)
		.sort((a, b) => b.count - a.count);
	return new Set(order.slice(0, Math.max(0, Math.min(TEAMS_MAX, roomFor))).map(({ name }) => name));
}

/** The hours of the groups that match, added up. */
export function filteredHours(
	{ fromHour, hours, groups }: DemandGroups,
	{ team, workloadClass }: DemandFilter,
): { jobs: number; hours: Hours } {
	const chosen = groups.filter(
		(group) => (team === undefined || group.team === team) && (workloadClass === undefined || group.workloadClass === workloadClass),
	);
	const known = groups.every(({ used }) => used !== null);
	const sum = (series: (group: DemandGroup) => Float32Array | null): Float64Array => {
		const total = new Float64Array(hours);
		for (const group of chosen) {
			const of = series(group) ?? [];
			for (let h = 0; h < of.length; h++) total[h] = (total[h] ?? 0) + (of[h] ?? 0);
		}
		return total;
	};
	return {
		jobs: chosen.reduce((count, group) => count + group.jobs, 0),
		hours: { fromHour, demand: sum((group) => group.demand), used: known ? sum((group) => group.used) : null, waiting: null },
	};
}

/** The profile of the jobs that match; null: it was not stored, or none match. */
export function filteredProfile({ profiles }: DemandGroups, { team, workloadClass }: DemandFilter): FilterProfile | null {
	const found = profiles?.find((each) => each.team === (team ?? null) && each.workloadClass === (workloadClass ?? null));
	return found ?? null;
}

/** A JSON line of names, counts and profiles, then all series, deflated. */
export function encodeGroups({ fromHour, hours, groups, profiles }: DemandGroups): Buffer {
	const head = {
		...{ fromHour, hours, profiles },
		groups: groups.map(({ team, workloadClass, jobs, used }) => ({ team, workloadClass, jobs, isUsed: used !== null })),
	};
	const series = groups.flatMap(({ demand, used }) => (used ? [demand, used] : [demand]));
	const bytes = series.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
	return deflateRawSync(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...bytes]));
}

interface Head extends Pick<DemandGroups, "fromHour" | "hours"> {
	groups: { team: string; workloadClass: string; jobs: number; isUsed: boolean }[];
	/** Absent in studies of earlier releases. */
	profiles?: FilterProfile[] | null;
}

export function decodeGroups(encoded: Uint8Array): DemandGroups {
	const bytes = inflateRawSync(encoded, { maxOutputLength: CELLS_MAX * 2 * Float32Array.BYTES_PER_ELEMENT + HEAD_BYTES_MAX });
	const end = bytes.indexOf("\n");
	const head: Head = JSON.parse(bytes.toString("utf8", 0, end));
	// Copied, because a Float32Array needs an aligned start.
	const all = new Float32Array(new Uint8Array(bytes.subarray(end + 1)).buffer);
	let at = 0;
	const next = (): Float32Array => {
		at += head.hours;
		return all.subarray(at - head.hours, at);
	};
	return {
		...head,
		profiles: head.profiles ?? null,
		groups: head.groups.map(({ isUsed, ...group }) => ({ ...group, demand: next(), used: isUsed ? next() : null })),
	};
}
