import { describe, expect, it } from "vitest";
import type { JobView } from "#components/trpc/outputs.ts";
import { hourlyRates } from "./estimate.ts";
import { heldArrangement, ownOrder, parseSort, sortJobs, waitedMs, writeSort } from "./order.ts";

const RATES = hourlyRates([], []);
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString();
const job = (id: string, some: Partial<JobView> = {}): JobView =>
	({
		id,
		name: id,
		state: "queued",
		priority: 50,
		submittedAt: at(0),
		startedAt: null,
		finishedAt: null,
		forecast: null,
		costMicroUsd: "0",
		...some,
	}) as JobView;
const ids = (rows: readonly { id: string }[]) => rows.map((r) => r.id).join(" ");

describe("sortJobs", () => {
	it("compares money numerically", () => {
		const rows = [job("nine", { costMicroUsd: "9" }), job("ten", { costMicroUsd: "10" }), job("one", { costMicroUsd: "1" })];
		expect(ids(sortJobs(rows, { columnId: "cost", direction: "descending" }, RATES, 0))).toBe("ten nine one");
	});

	it("sorts missing values last in both directions", () => {
		const rows = [job("none", { deadlineAt: null }), job("late", { deadlineAt: at(9) }), job("soon", { deadlineAt: at(1) })];
		expect(ids(sortJobs(rows, { columnId: "room", direction: "ascending" }, RATES, 0))).toBe("soon late none");
		expect(ids(sortJobs(rows, { columnId: "room", direction: "descending" }, RATES, 0))).toBe("late soon none");
	});

	it("ignores unknown columns", () => {
		const rows = [job("b"), job("a")];
		expect(sortJobs(rows, parseSort("colour.desc"), RATES, 0)).toBe(rows);
	});
});

describe("sort in the URL", () => {
	it("round-trips", () => {
		for (const direction of ["ascending", "descending"] as const)
			expect(parseSort(writeSort({ columnId: "cost", direction }))).toEqual({ columnId: "cost", direction });
		expect(parseSort("cost")).toBeNull();
		expect(writeSort(null)).toBeNull();
	});
});

describe("ownOrder", () => {
	it("lists queued jobs by start order, unknown last", () => {
		const rows = [
			job("new", { submittedAt: at(9) }),
			job("second", { forecast: { p50Ms: 2, p90Ms: 9 } }),
			job("first", { forecast: { p50Ms: 1, p90Ms: 9 } }),
			job("held", { state: "held" }),
			job("placed", { state: "admitted" }),
			job("old", { submittedAt: at(1) }),
		];
		expect(ids(ownOrder("waiting", rows))).toBe("placed held first second old new");
	});
});

describe("waitedMs", () => {
	it("ends at the first start, or at the end of a job that never started", () => {
		expect(waitedMs(job("a", { startedAt: at(3), finishedAt: at(9) }), 0)).toBe(180_000);
		expect(waitedMs(job("a", { finishedAt: at(9) }), 0)).toBe(540_000);
		expect(waitedMs(job("a"), Date.parse(at(1)))).toBe(60_000);
	});
});

describe("heldArrangement", () => {
	const before = [
		{ id: "running", rowIds: ["a", "b"] },
		{ id: "waiting", rowIds: ["c"] },
	];

	it("keeps row positions while values update", () => {
		const fresh = [
			{
				id: "running",
				rows: [
					{ id: "c", v: 2 },
					{ id: "b", v: 2 },
				],
			},
			{ id: "waiting", rows: [] },
			{ id: "ended", rows: [{ id: "a", v: 2 }] },
		];
		const { groups, waiting } = heldArrangement(before, fresh);
		expect(groups).toEqual([
			{
				id: "running",
				rows: [
					{ id: "a", v: 2 },
					{ id: "b", v: 2 },
				],
			},
			{ id: "waiting", rows: [{ id: "c", v: 2 }] },
		]);
		expect(waiting).toBe(2);
	});

	it("holds back and counts new rows; drops removed ones", () => {
		const { groups, waiting } = heldArrangement(before, [{ id: "running", rows: [{ id: "a" }, { id: "new" }] }]);
		expect(groups.map((g) => ids(g.rows))).toEqual(["a", ""]);
		expect(waiting).toBe(3);
	});

	it("has nothing pending without changes", () => {
		const same = [
			{ id: "running", rows: [{ id: "b" }, { id: "a" }] },
			{ id: "waiting", rows: [{ id: "c" }] },
		];
		expect(heldArrangement(before, same).waiting).toBe(0);
	});
});
