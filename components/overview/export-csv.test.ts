import { describe, expect, it } from "vitest";
import { readCsv } from "#components/csv/read-csv.testing.ts";
import { demandCsv, feedCsv } from "./export-csv.ts";
import type { FeedLine } from "./feed.ts";
import type { Demand } from "./prepare-demand.ts";

const FROM = Date.UTC(2026, 10, 19, 14);
const MINUTE = 60_000;

describe("Overview exports", () => {
	it("exports demand per interval: 4 wanted = 2 owned + 1 spot + 1 queued", () => {
		const demand: Demand = {
			...{ fromMs: FROM, toMs: FROM + 2 * MINUTE, ownedGpus: 2 },
			places: [
				{ siteId: "local", provider: "local", capacityType: "owned" },
				{ siteId: "aws", provider: "aws", capacityType: "spot" },
			],
			points: [
				{ atMs: FROM + MINUTE, wanted: 0, placed: [0, 0], waiting: 0 },
				{ atMs: FROM + 2 * MINUTE, wanted: 4, placed: [2, 1], waiting: 1 },
			],
		};
		const [first, second] = readCsv(demandCsv(demand));
		expect(first).toMatchObject({
			"From (UTC)": "2026-11-19T14:00:00.000Z",
			"To (UTC)": "2026-11-19T14:01:00.000Z",
			"GPUs requested": "0",
		});
		expect(second).toEqual({
			...{ "From (UTC)": "2026-11-19T14:01:00.000Z", "To (UTC)": "2026-11-19T14:02:00.000Z" },
			...{ "GPUs requested": "4", "Owned GPUs": "2", "local owned": "2", "aws spot": "1", Queued: "1" },
		});
		const mark = {
			id: "audit-1",
			kind: "policy",
			atMs: FROM + MINUTE,
			share: 0.5,
			when: "14:01 UTC",
			text: "Policy v2 published",
		} as const;
		expect(readCsv(demandCsv(demand, [mark])).map(({ Events }) => Events)).toEqual(["", "Policy v2 published (14:01 UTC)"]);
	});

	it("exports activity as shown, with links", () => {
		const line = { id: 1, atMs: FROM, capacity: null, tone: null };
		const lines: FeedLine[] = [
			{ ...line, before: "", name: "fraud-v7", text: "finished: exit code 0", href: "/jobs/job_1", costMicroUsd: "31140000" },
			{ ...line, before: "Site", name: "aws", text: "answers", href: "/sites", costMicroUsd: null },
		];
		expect(readCsv(feedCsv(lines, "https://spillway.example")).map((l) => Object.values(l))).toEqual([
			["2026-11-19T14:00:00.000Z", "fraud-v7 finished: exit code 0", "31.140000", "https://spillway.example/jobs/job_1"],
			["2026-11-19T14:00:00.000Z", "Site aws answers", "", "https://spillway.example/sites"],
		]);
	});
});
