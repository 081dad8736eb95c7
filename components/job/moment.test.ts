import { describe, expect, it } from "vitest";
import type { AttemptView, DecisionView, JobDetail, ReceiptView } from "#components/trpc/outputs.ts";
import { momentOf, overdueCheckpointMs } from "./moment.ts";

const at = (s: number) => new Date(s * 1_000).toISOString();
const attempt = (some: Partial<AttemptView>) =>
	({
		id: "a1",
		number: 1,
		state: "running",
		createdAt: at(10),
		stagingAt: null,
		startedAt: at(20),
		stopRequestedAt: null,
		finishedAt: null,
		placement: { capacityType: "spot", provider: "aws", region: "us-east-1", siteId: "aws" },
		...some,
	}) as AttemptView;
const job = (attemptList: AttemptView[], saved: number[] = []) =>
	({
		attemptList,
		finishedAt: null,
		checkpoints: saved.map((s) => ({ attemptId: "a1", createdAt: at(s) })),
		spec: { checkpoint: { intervalMs: 10_000, path: "/c" } },
	}) as unknown as JobDetail;
const decisions = [{ attemptNumber: 1, candidates: [{ outcome: "chosen", hourlyMicroUsd: "3600000" }] }] as unknown as DecisionView[];
const receipt = { attempts: [{ lines: [{ fromMs: 20_000, toMs: 40_000, costMicroUsd: 20_000n }] }] } as unknown as ReceiptView;

describe("momentOf", () => {
	const shown = job(
		[attempt({ finishedAt: at(60), state: "interrupted" }), attempt({ id: "a2", number: 2, createdAt: at(70), startedAt: null })],
		[30],
	);
	it.each([
		[5, "waiting", 0n, null],
		[15, "starting", 0n, null],
		[30, "running", 10_000n, 0],
		[50, "running", 20_000n, 20_000],
		[65, "waiting", 20_000n, null],
		[75, "starting", 20_000n, null],
	] as const)("at %d s: %s", (s, phase, costMicroUsd, unsavedMs) =>
		expect(momentOf(shown, decisions, receipt, s * 1_000)).toMatchObject({ phase, costMicroUsd, unsavedMs }),
	);

	it("has the price of the attempt and counts interruptions", () => {
		expect(momentOf(shown, decisions, receipt, 30_000)).toMatchObject({ hourlyMicroUsd: 3_600_000n, interruptions: 0 });
		expect(momentOf(shown, decisions, receipt, 75_000)).toMatchObject({ hourlyMicroUsd: null, interruptions: 1 });
	});
});

describe("overdueCheckpointMs", () => {
	it("warns after two intervals without one", () => {
		expect(overdueCheckpointMs(job([attempt({})]), 39_000)).toBeNull();
		expect(overdueCheckpointMs(job([attempt({})]), 41_000)).toBe(21_000);
		expect(overdueCheckpointMs(job([attempt({})], [35]), 41_000)).toBeNull();
		expect(overdueCheckpointMs(job([attempt({ finishedAt: at(30) })]), 99_000)).toBeNull();
	});
});
