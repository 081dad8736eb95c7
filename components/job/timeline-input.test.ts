import { describe, expect, it } from "vitest";
import type { AttemptView, CheckpointView, DecisionView, JobDetail } from "#components/trpc/outputs.ts";
import { outlookOf } from "./outlook.ts";
import { jobTimeline } from "./timeline-input.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString();
const atMs = (minute: number) => Date.parse(at(minute));
const MINUTE = 60_000;

const attempt = (number: number, some: Partial<AttemptView>): AttemptView =>
	({
		id: `att_${number}`,
		number,
		state: "running",
		placement: { siteId: "aws", provider: "aws", region: "us-east-2", capacityType: "spot" },
		createdAt: at(0),
		stagingAt: null,
		startedAt: null,
		stopRequestedAt: null,
		finishedAt: null,
		reason: null,
		...some,
	}) as AttemptView;
const saved = (attemptId: string, minute: number, completedMs: number) =>
	({ attemptId, createdAt: at(minute), completedMs }) as CheckpointView;
const job = (some: Partial<JobDetail>): JobDetail =>
	({
		submittedAt: at(0),
		finishedAt: null,
		deadlineAt: null,
		forecast: null,
		estimateMs: 20 * MINUTE,
		completedMs: 0,
		costMicroUsd: "0",
		expected: null,
		attemptList: [],
		checkpoints: [],
		instances: [],
		spec: { data: [] },
		...some,
	}) as unknown as JobDetail;
const placed = (attemptNumber: number, runMin: number): DecisionView =>
	({
		attemptNumber,
		candidates: [
			{
				outcome: "chosen",
				start: { p50Ms: 0, p90Ms: 0 },
				finish: { p50Ms: runMin * MINUTE, p90Ms: 2 * runMin * MINUTE },
			},
		],
	}) as unknown as DecisionView;
const lanesOf = (j: JobDetail, nowMin: number, decisions: DecisionView[] = []) =>
	jobTimeline(j, outlookOf(j, decisions, atMs(nowMin)), atMs(nowMin), () => "why").lanes.map((lane) => [
		lane.title,
		...lane.segments.map((s) => `${s.kind} ${(s.fromMs - atMs(0)) / MINUTE}-${(s.toMs - atMs(0)) / MINUTE}`),
	]);

describe("jobTimeline", () => {
	it("shows queued, staging, running, lost work after the last checkpoint, and queued again", () => {
		const j = job({
			attemptList: [
				attempt(1, { createdAt: at(2), stagingAt: at(3), startedAt: at(4), finishedAt: at(14), state: "interrupted" }),
				attempt(2, { createdAt: at(16), startedAt: at(17) }),
			],
			checkpoints: [saved("att_1", 10, 6 * MINUTE)],
		});
		expect(lanesOf(j, 20, [placed(2, 10)])).toEqual([
			["Queued", "queue 0-2", "queue 14-16"],
			["aws us-east-2 spot", "stage 2-3", "stage 3-4", "run_spot 4-10", "lost 10-14"],
			["aws us-east-2 spot", "stage 16-17", "run_spot 17-20", "forecast_cloud 20-27"],
		]);
	});

	it("names the time before the start on a cluster with its own queue", () => {
		const labels = (provider: string, data: unknown[]) => {
			const placement = { siteId: "home", provider, region: null, capacityType: "owned" } as unknown as AttemptView["placement"];
			const waiting = attempt(1, { placement, stagingAt: at(1), state: "staging" });
			const j = job({ attemptList: [waiting], spec: { data } as unknown as JobDetail["spec"] });
			return jobTimeline(j, outlookOf(j, [], atMs(5)), atMs(5), () => "").lanes[1]?.segments.map((s) => s.label);
		};
		expect(labels("slurm", [])).toEqual(["starting", "queued at cluster"]);
		expect(labels("kubernetes", [{}])).toEqual(["starting", "queued at cluster, staging data"]);
		expect(labels("local", [])).toEqual(["starting", "staging data"]);
	});

	it("shows stopping time separately", () => {
		const j = job({
			finishedAt: at(9),
			attemptList: [attempt(1, { createdAt: at(0), startedAt: at(1), stopRequestedAt: at(8), finishedAt: at(9), state: "cancelled" })],
		});
		expect(lanesOf(j, 500)[1]).toEqual(["aws us-east-2 spot", "stage 0-1", "run_spot 1-8", "stopping 8-9"]);
	});

	it("ends the axis at the job's end, however long ago", () => {
		const j = job({ finishedAt: at(9), attemptList: [attempt(1, { startedAt: at(1), finishedAt: at(9), state: "succeeded" })] });
		const input = jobTimeline(j, outlookOf(j, [], atMs(5000)), atMs(5000), () => "");
		expect(input.nowMs).toBe(atMs(9));
		expect(input.toMs).toBeLessThan(atMs(11));
		expect(input.nowText).toMatch(/^Ended /);
	});

	it("shows the forecast owned run of a queued job", () => {
		const j = job({ forecast: { p50Ms: atMs(10), p90Ms: atMs(15) } });
		expect(lanesOf(j, 5)).toEqual([
			["Queued", "queue 0-5"],
			["Owned, forecast", "forecast_owned 10-30"],
		]);
	});
});

describe("outlookOf", () => {
	it("shifts the decision's forecast to the command start", () => {
		const expected = { totalMicroUsd: "5", workMs: 10 * MINUTE, beganAt: at(4), beforeMs: 0 };
		const j = job({ expected, attemptList: [attempt(1, { startedAt: at(4) })] });
		const outlook = outlookOf(j, [placed(1, 10)], atMs(9));
		expect(outlook.finish).toEqual({ p50Ms: atMs(14), p90Ms: atMs(24) });
		expect(outlook.progress).toBe(0.5);
		expect(outlook.totalMicroUsd).toBe(5n);
	});

	it("counts checkpointed work, and takes the total of all attempts", () => {
		const j = job({
			completedMs: 6 * MINUTE,
			costMicroUsd: "30",
			expected: { totalMicroUsd: "70", workMs: 20 * MINUTE, beganAt: at(10), beforeMs: 6 * MINUTE },
			attemptList: [attempt(1, { finishedAt: at(9), state: "interrupted" }), attempt(2, { startedAt: at(10) })],
			checkpoints: [saved("att_1", 8, 6 * MINUTE)],
		});
		const outlook = outlookOf(j, [placed(2, 14)], atMs(12));
		expect(outlook.progress).toBeCloseTo(8 / 20);
		expect(outlook.totalMicroUsd).toBe(70n);
	});

	it("does not forecast the past or ended jobs", () => {
		const late = job({ attemptList: [attempt(1, { startedAt: at(0) })] });
		expect(outlookOf(late, [placed(1, 5)], atMs(30)).finish).toEqual({ p50Ms: atMs(30), p90Ms: atMs(30) });
		expect(outlookOf(job({ finishedAt: at(3) }), [], atMs(5)).finish).toBeNull();
		expect(outlookOf(job({}), [], atMs(5)).finish).toBeNull();
	});
});
