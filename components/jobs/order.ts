import type { Sort } from "#components/data-table/model.ts";
import type { JobView } from "#components/trpc/outputs.ts";
import { estimatedTotal, type HourlyRates } from "./estimate.ts";
import type { JobGroup } from "./views.ts";

/** `cost.desc` in the URL, and back. */
export function parseSort(text: string | null): Sort | null {
	const match = /^([a-z]+)\.(asc|desc)$/.exec(text ?? "");
	return match?.[1] ? { columnId: match[1], direction: match[2] === "asc" ? "ascending" : "descending" } : null;
}
export function writeSort(sort: Sort | null): string | null {
	return sort && `${sort.columnId}.${sort.direction === "ascending" ? "asc" : "desc"}`;
}

type Key = string | number | bigint | null;

const KEYS: Record<string, (job: JobView, rates: HourlyRates, nowMs: number) => Key> = {
	name: (job) => job.name,
	team: (job) => job.team,
	gpus: (job) => job.gpus,
	waited: (job, _rates, nowMs) => waitedMs(job, nowMs),
	start: (job) => job.forecast?.p50Ms ?? null,
	cost: (job) => BigInt(job.costMicroUsd),
	total: (job, rates) => (job.finishedAt ? BigInt(job.costMicroUsd) : estimatedTotal(job, rates)),
	room: (job) => (job.deadlineAt === null ? null : Date.parse(job.deadlineAt)),
};

/** From submission to first start, to now, or to the end if it never started. */
export function waitedMs(job: JobView, nowMs: number): number {
	const until = job.startedAt ?? job.finishedAt;
	return (until === null ? nowMs : Date.parse(until)) - Date.parse(job.submittedAt);
}

/** Missing values come last in both directions. */
export function sortJobs(rows: readonly JobView[], sort: Sort | null, rates: HourlyRates, nowMs: number): readonly JobView[] {
	const key = sort && KEYS[sort.columnId];
	if (!sort || !key) return rows;
	const sign = sort.direction === "ascending" ? 1 : -1;
	const keyed = rows.map((job) => ({ job, key: key(job, rates, nowMs) }));
	return keyed
		.sort((a, b) => {
			if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
			return a.key < b.key ? -sign : a.key > b.key ? sign : 0;
		})
		.map(({ job }) => job);
}

const STAGE: Partial<Record<JobView["state"], number>> = { admitted: 0, held: 1, queued: 2 };

/** Default order of a fully loaded group: queued jobs by start, so that new ones come last. */
export function ownOrder(groupId: JobGroup["id"], rows: readonly JobView[]): readonly JobView[] {
	const ended = (job: JobView) => (job.finishedAt === null ? 0 : Date.parse(job.finishedAt));
	switch (groupId) {
		case "running":
			return rows.toSorted((a, b) => Date.parse(a.startedAt ?? a.submittedAt) - Date.parse(b.startedAt ?? b.submittedAt));
		case "waiting":
			return rows.toSorted(
				(a, b) =>
					(STAGE[a.state] ?? 3) - (STAGE[b.state] ?? 3) ||
					(a.forecast?.p50Ms ?? Number.MAX_SAFE_INTEGER) - (b.forecast?.p50Ms ?? Number.MAX_SAFE_INTEGER) ||
					b.priority - a.priority ||
					Date.parse(a.submittedAt) - Date.parse(b.submittedAt),
			);
		case "ended":
			return rows.toSorted((a, b) => ended(b) - ended(a));
		case "rows":
			return rows;
	}
}

export type Arrangement = readonly { id: string; rowIds: readonly string[] }[];
type Rows<Row> = readonly { id: string; rows: readonly Row[] }[];

/**
 * Current values in the previous row order, so that nothing moves while a person reads. Removed rows disappear, new
 * rows wait; `waiting` counts the changes that a new order would show.
 */
export function heldArrangement<Row extends { id: string }>(
	before: Arrangement,
	fresh: Rows<Row>,
): { groups: { id: string; rows: Row[] }[]; waiting: number } {
	const byId = new Map(fresh.flatMap((g) => g.rows.map((row) => [row.id, { row, groupId: g.id }] as const)));
	let waiting = 0;
	const shown = new Set<string>();
	const groups = before.map(({ id, rowIds }) => ({
		id,
		rows: rowIds.flatMap((rowId) => {
			const now = byId.get(rowId);
			shown.add(rowId);
			if (now?.groupId !== id) waiting += 1;
			return now ? [now.row] : [];
		}),
	}));
	waiting += [...byId.keys()].filter((id) => !shown.has(id)).length;
	return { groups, waiting };
}
