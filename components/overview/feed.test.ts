import { describe, expect, it } from "vitest";
import { type EventView, prepareFeed, sentenceText } from "./feed.ts";

const NOW = Date.UTC(2026, 10, 19, 14, 32);
let next = 1_000;
const event = (kind: EventView["kind"], secondsAgo: number, more: Partial<EventView> = {}): EventView => ({
	...{
		id: next--,
		at: new Date(NOW - secondsAgo * 1_000).toISOString(),
		kind,
		jobId: `job_${secondsAgo}`,
		jobName: `j${secondsAgo}`,
		team: "risk",
	},
	...{ instanceId: null, siteId: null, placement: null, costMicroUsd: null, reason: null },
	...more,
});
const reason = (message: string): EventView["reason"] => ({ code: "completed", message, facts: {} });

describe("prepareFeed", () => {
	it("continues the job name with the reason sentence", () => {
		const [line] = prepareFeed(
			[event("job_succeeded", 5, { reason: reason("Finished: the command ended with exit code 0."), costMicroUsd: "31140000" })],
			10,
		);
		expect(line).toMatchObject({
			name: "j5",
			text: "finished: the command ended with exit code 0",
			href: "/jobs/job_5",
			costMicroUsd: "31140000",
		});
	});

	it("merges a batch into one line", () => {
		const batch = Array.from({ length: 41 }, (_, i) => event("job_submitted", 10 + i * 0.001, { jobName: `lr-${i}`, jobId: `b${i}` }));
		const lines = prepareFeed([...batch, event("job_failed", 90)], 10);
		expect(lines.map((l) => `${l.name} ${l.text}`)).toEqual(["41 jobs submitted: lr-0, lr-1 and 39 more", "j90 failed"]);
		expect(lines[1]?.tone).toBe("risk");
	});

	it("does not repeat the placement", () => {
		const id = { jobId: "job_a", jobName: "a" };
		const lines = prepareFeed(
			[
				event("job_started", 1, id),
				event("job_placed", 2, { ...id, reason: reason("Placed at home: 1 slot was free.") }),
				event("job_submitted", 3, id),
			],
			10,
		);
		expect(lines.map((l) => l.text)).toEqual(["placed at home: 1 slot was free"]);
	});

	it("reports the end of a machine and its attempt once, with the effect on the job", () => {
		const gone = { code: "instance_vanished" as const, message: "The machine no longer existed without a word.", facts: {} };
		const lines = prepareFeed(
			[
				event("instance_terminated", 1, { jobId: "job_a", jobName: "a", reason: gone }),
				event("job_interrupted", 2, { jobId: "job_a", jobName: "a", reason: gone }),
				event("instance_terminated", 3, { jobId: "job_b", jobName: "b", reason: gone }),
				event("job_interrupted", 90, { jobId: "job_c", jobName: "c", reason: reason("Evicted: its pool is drained.") }),
			],
			10,
		);
		expect(lines.map((l) => [l.before, l.name, l.text].join(" ").trim())).toEqual([
			"a was interrupted: the machine no longer existed without a word",
			"The machine of b was terminated: the machine no longer existed without a word",
			"c evicted: its pool is drained",
		]);
	});

	it("marks a placement by its own location, not the job's current one", () => {
		const home = {
			siteId: "local",
			provider: "local",
			region: null,
			zone: null,
			capacityType: "owned",
			instanceType: null,
			poolId: "local",
			accelerator: null,
		} as const;
		const sent = { code: "placed_cloud", message: "Sent to aws.", facts: { capacityType: "spot" } } as const;
		const lines = prepareFeed(
			[
				event("job_succeeded", 1, { placement: home }),
				event("instance_terminated", 2, { placement: home }),
				event("job_placed", 3, { placement: home, reason: sent }),
			],
			10,
		);
		expect(lines.map((l) => l.capacity)).toEqual(["owned", null, "spot"]);
	});

	it("links site events to Capacity", () => {
		const lines = prepareFeed(
			[
				event("site_unhealthy", 4, { jobId: null, jobName: null, siteId: "aws" }),
				event("site_healthy", 1, { jobId: null, jobName: null, siteId: "aws" }),
			],
			10,
		);
		expect(lines.map((l) => [l.before, l.name, l.text, l.href])).toEqual([
			["Site", "aws", "is unreachable", "/sites"],
			["Site", "aws", "is reachable", "/sites"],
		]);
	});

	it("limits the number of lines", () =>
		expect(
			prepareFeed(
				Array.from({ length: 30 }, (_, i) => event("job_failed", i * 100)),
				12,
			),
		).toHaveLength(12));

	it("keeps the case of abbreviations", () => expect(sentenceText("GPU memory ran out.")).toBe("GPU memory ran out"));
});
