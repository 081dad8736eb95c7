import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import type { JobView, Outputs } from "#components/trpc/outputs.ts";
import type { JobGroup, ListInput } from "./views.ts";

/** Rows of a group in the first request. */
const FIRST_ROWS = 100;
/** Rows in later requests: few requests for a long list, which are repeated when a job changes. */
const LATER_ROWS = 500;

type Position = { group: number; cursor: string | null };
export type JobsPage = { parts: { groupId: JobGroup["id"]; items: JobView[] }[]; next: Position | null };
type FetchPage = (input: ListInput) => Promise<Outputs["job"]["list"]>;

/**
 * Pages that only append: a group appears once all earlier groups are complete, so that later rows never move visible
 * ones. Groups that fit are loaded in one page in parallel.
 */
export function jobPagesOptions(pathKey: QueryKey, groups: readonly JobGroup[], fetchPage: FetchPage) {
	return {
		queryKey: [...pathKey, { type: "pages" }, groups] as const,
		queryFn: ({ pageParam }: { pageParam: Position }) => readPage(groups, pageParam, fetchPage),
		initialPageParam: { group: 0, cursor: null } satisfies Position as Position,
		getNextPageParam: (last: JobsPage) => last.next,
	};
}

async function readPage(groups: readonly JobGroup[], from: Position, fetchPage: FetchPage): Promise<JobsPage> {
	const rest = groups.slice(from.group);
	const answers = await Promise.all(
		rest.map((group, i) =>
			i === 0 && from.cursor
				? fetchPage({ ...group.input, limit: LATER_ROWS, cursor: from.cursor })
				: fetchPage({ ...group.input, limit: FIRST_ROWS }),
		),
	);
	const parts: JobsPage["parts"] = [];
	for (const [i, group] of rest.entries()) {
		const answer = answers[i];
		if (!answer) break;
		parts.push({ groupId: group.id, items: answer.items });
		if (answer.nextCursor !== null) return { parts, next: { group: from.group + i, cursor: answer.nextCursor } };
	}
	return { parts, next: null };
}

export type LoadedGroup = { group: JobGroup; rows: JobView[]; complete: boolean };

/** Loaded groups in order; unreached ones are omitted. Each row appears once. */
export function loadedGroups(groups: readonly JobGroup[], data: InfiniteData<JobsPage, unknown>): LoadedGroup[] {
	const next = data.pages.at(-1)?.next ?? null;
	const seen = new Set<string>();
	return groups.flatMap((group, index) => {
		if (next !== null && index > next.group) return [];
		const rows = data.pages.flatMap((page) => page.parts.filter((p) => p.groupId === group.id).flatMap((p) => p.items));
		const fresh = rows.filter((row) => !seen.has(row.id) && seen.add(row.id));
		return [{ group, rows: fresh, complete: next === null || index < next.group }];
	});
}
