import type { Inputs } from "#components/trpc/outputs.ts";
import type { JobState } from "#server/domain/states.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { JobSearch, JobViewName } from "./search-params.ts";

export const VIEW_LABELS: Record<JobViewName, string> = {
	active: "Active and ended today",
	cloud: "In the cloud",
	failed: "Failed this week",
	all: "All",
};

export type ListInput = Inputs["job"]["list"];

/** A list group and its query. An ungrouped list has one group without a label. */
export type JobGroup = { id: "running" | "waiting" | "ended" | "rows"; label: string; input: ListInput };

const ENDED: JobState[] = ["succeeded", "failed", "cancelled"];
const WAITING: JobState[] = ["admitted", "held", "queued"];

/** Monday, 00:00 UTC, of the week. */
export function weekStartMs(nowMs: number): number {
	const day = Math.floor(nowMs / DAY_MS);
	// 1 January 1970 was a Thursday.
	return (day - ((day + 3) % 7)) * DAY_MS;
}

function filtersOf(search: JobSearch): ListInput {
	return {
		...(search.team.length > 0 ? { team: search.team } : {}),
		...(search.class.length > 0 ? { class: search.class } : {}),
		...(search.site ? { site: search.site } : {}),
		// A sweep is one row in the list of sweeps, so its trials would only hide other jobs.
		...(search.q ? { q: search.q } : search.view === "all" ? {} : { trials: "live" }),
	};
}

/** All jobs that the view with its filters lists, as one query. `todayMs` is 00:00 UTC today. */
export function wholeView(search: JobSearch, todayMs: number): ListInput {
	const within: Record<JobViewName, ListInput> = {
		active: { endedSinceMs: todayMs },
		cloud: { site: "cloud", state: ["admitted", "running"] },
		failed: { state: ["failed"], endedSinceMs: weekStartMs(todayMs) },
		all: {},
	};
	return {
		...within[search.view],
		...filtersOf(search),
		...(search.state.length > 0 && search.view !== "failed" ? { state: search.state } : {}),
	};
}

/** The queries of a view with its filters, per group. `todayMs` is 00:00 UTC today. */
export function groupsOf(search: JobSearch, todayMs: number): JobGroup[] {
	const filters = filtersOf(search);
	const group = (id: JobGroup["id"], label: string, states: JobState[], more: ListInput = {}): JobGroup[] => {
		const state = search.state.length === 0 ? states : states.length === 0 ? search.state : states.filter((s) => search.state.includes(s));
		if (states.length > 0 && state.length === 0) return [];
		return [{ id, label, input: { ...more, ...filters, ...(state.length > 0 ? { state } : {}) } }];
	};
	switch (search.view) {
		case "active":
			return [
				...group("running", "Running", ["running"]),
				...group("waiting", "Queued", WAITING),
				...group("ended", "Ended today", ENDED, { endedSinceMs: todayMs }),
			];
		case "cloud":
			return [
				...group("running", "Running", ["running"], { site: "cloud" }),
				...group("waiting", "Starting", ["admitted"], { site: "cloud" }),
			];
		case "failed":
			return group("rows", "", ["failed"], { endedSinceMs: weekStartMs(todayMs) });
		case "all":
			return group("rows", "", []);
	}
}

/** True if a filter hides anything. */
export function isFiltered(search: JobSearch): boolean {
	return search.q !== "" || search.state.length > 0 || search.team.length > 0 || search.class.length > 0 || search.site !== null;
}
