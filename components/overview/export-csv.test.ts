import { describe, expect, it } from "vitest";
import { readCsv } from "#components/csv/read-csv.testing.ts";
import { demandCsv, feedCsv } from "./export-csv.ts";
import type { FeedLine } from "./feed.ts";
import type { Demand } from "./prepare-demand.ts";

const FROM = Date.UTC(2026, 10, 19, 14);
const MINUTE = 60_000;

describe("what the Overview hands out", () => {
	it("has the demand of each stretch of time: 4 wanted = 2 at home + 1 on spot + 1 that waits", () => {
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
		expect(first).toMatchObject({ "From (UTC)": "2026-11-19T14:00:00.000Z", "To (UTC)": "2026-11-19T14:01:00.000Z", "Wanted GPUs": "0" });
		expect(second).toEqual({
			...{ "From (UTC)": "2026-11-19T14:01:00.000Z", "To (UTC)": "2026-11-19T14:02:00.000Z" },
			...{ "Wanted GPUs": "4", "Owned GPUs": "2", "local owned": "2", "aws spot": "1", Waiting: "1" },
		});
	});

	it("tells what happened in the words of the screen, and leads to it", () => {
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
