import { SpillwayError } from "#server/kernel/errors.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { JobColumns, Names } from "../history/columns.ts";
import type { JobFilter } from "./filter-profiles.ts";

/** Names listed in an error. */
const NAMED_MAX = 10;

/** Some jobs of a history, with facts of all of them in the same order. */
export interface SelectedJobs {
	jobs: JobColumns;
	waitsMs: Float64Array | null;
	gpuHours: number;
}

/**
 * The jobs of one team, class or GPU model, or of several of these, with their waits among all jobs.
 * @throws SpillwayError `invalid_input` for a team, class or GPU model that the history does not have
 */
export function selectJobs(jobs: JobColumns, waitsMs: Float64Array | null, { team, workloadClass, gpuModel }: JobFilter): SelectedJobs {
	const teamIndex = indexIn("team", jobs.teams, team);
	const classIndex = indexIn("class", jobs.classes, workloadClass);
	const modelIndex = indexIn("GPU model", jobs.gpuModels, gpuModel);
	const rows: number[] = [];
	let gpuMs = 0;
	for (let i = 0; i < jobs.length; i++) {
		if (teamIndex !== null && jobs.at(jobs.team, i) !== teamIndex) continue;
		if (classIndex !== null && jobs.at(jobs.workloadClass, i) !== classIndex) continue;
		if (modelIndex !== null && jobs.at(jobs.gpuModel, i) !== modelIndex) continue;
		rows.push(i);
		gpuMs += jobs.at(jobs.durationMs, i) * jobs.at(jobs.gpus, i);
	}
	return {
		jobs: jobs.pick(rows),
		waitsMs: waitsMs && Float64Array.from(rows, (i) => waitsMs[i] ?? Number.NaN),
		gpuHours: Math.round(gpuMs / HOUR_MS),
	};
}

function indexIn(kind: "team" | "class" | "GPU model", { list }: Names, name: string | undefined): number | null {
	if (name === undefined) return null;
	const index = list.indexOf(name);
	if (index >= 0) return index;
	const named = list.slice(0, NAMED_MAX).map((each) => JSON.stringify(each.slice(0, 100)));
	throw new SpillwayError("invalid_input", `The history has no jobs of ${kind} ${JSON.stringify(name.slice(0, 100))}.`, {
		fix: `Use one of: ${named.join(", ")}${list.length > NAMED_MAX ? `, and ${list.length - NAMED_MAX} more` : ""}.`,
	});
}
