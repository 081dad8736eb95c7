import { describe, expect, it } from "vitest";
import type { JobView } from "#components/trpc/outputs.ts";
import { type JobsPage, jobPagesOptions, loadedGroups } from "./pages.ts";
import type { JobGroup, ListInput } from "./views.ts";

const GROUPS: JobGroup[] = [
	{ id: "running", label: "Running", input: { state: ["running"] } },
	{ id: "waiting", label: "Queued", input: { state: ["queued"] } },
	{ id: "ended", label: "Ended", input: { state: ["failed"] } },
];
const row = (id: string) => ({ id }) as JobView;
const ids = (page: JobsPage) => page.parts.map((p) => [p.groupId, ...p.items.map((j) => j.id)]);

/** A server with these IDs per state, two per page. */
function server(rows: Record<string, string[]>) {
	const asked: ListInput[] = [];
	const fetchPage = async (input: ListInput) => {
		asked.push(input);
		const all = rows[input.state?.[0] ?? ""] ?? [];
		const from = Number(input.cursor ?? 0);
		return { items: all.slice(from, from + 2).map(row), nextCursor: from + 2 < all.length ? String(from + 2) : null };
	};
	return { fetchPage, asked };
}

describe("job list pages", () => {
	it("load in one page if every group fits", async () => {
		const { fetchPage } = server({ running: ["r1"], queued: ["q1", "q2"], failed: [] });
		const { queryFn, initialPageParam } = jobPagesOptions([], GROUPS, fetchPage);
		const page = await queryFn({ pageParam: initialPageParam });
		expect(ids(page)).toEqual([["running", "r1"], ["waiting", "q1", "q2"], ["ended"]]);
		expect(page.next).toBeNull();
	});

	it("continue at the end and show no group before those above are complete", async () => {
		const { fetchPage, asked } = server({ running: ["r1"], queued: ["q1", "q2", "q3"], failed: ["f1"] });
		const { queryFn, initialPageParam, getNextPageParam } = jobPagesOptions([], GROUPS, fetchPage);
		const first = await queryFn({ pageParam: initialPageParam });
		expect(ids(first)).toEqual([
			["running", "r1"],
			["waiting", "q1", "q2"],
		]);
		expect(loadedGroups(GROUPS, { pages: [first], pageParams: [] }).map((g) => [g.group.id, g.complete])).toEqual([
			["running", true],
			["waiting", false],
		]);
		const next = getNextPageParam(first);
		const second = await queryFn({ pageParam: next ?? initialPageParam });
		expect(ids(second)).toEqual([
			["waiting", "q3"],
			["ended", "f1"],
		]);
		expect(second.next).toBeNull();
		expect(asked.at(-2)).toMatchObject({ state: ["queued"], cursor: "2" });
		const all = loadedGroups(GROUPS, { pages: [first, second], pageParams: [] });
		expect(all.map((g) => [g.group.id, g.complete, ...g.rows.map((r) => r.id)])).toEqual([
			["running", true, "r1"],
			["waiting", true, "q1", "q2", "q3"],
			["ended", true, "f1"],
		]);
	});

	it("show a job once if it changed group between reads", () => {
		const pages: JobsPage[] = [
			{
				parts: [
					{ groupId: "running", items: [row("a")] },
					{ groupId: "waiting", items: [row("a"), row("b")] },
				],
				next: null,
			},
		];
		expect(loadedGroups(GROUPS, { pages, pageParams: [] }).map((g) => g.rows.map((r) => r.id))).toEqual([["a"], ["b"], []]);
	});
});
