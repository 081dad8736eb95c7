import { describe, expect, it } from "vitest";
import { HEARTBEAT_LATE_MS, type LeadPart, prepareLead, type Site, type Summary } from "./lead.ts";

const NOW = Date.UTC(2026, 10, 19, 14, 32);
const M = 1_000_000n;

const summary = (more: Partial<Summary> = {}): Summary => ({
	nowMs: NOW,
	jobs: { held: 0, queued: 0, admitted: 0, running: 9, succeeded: 0, failed: 0, cancelled: 0 },
	queue: { jobs: 0, held: 0, gpus: 0, lastStart: null },
	owned: { gpus: 64, busy: 61 },
	cloud: { instances: 3, gpus: 24, burnMicroUsdPerHour: "54860000" },
	burn: [],
	budgets: [
		{
			...{ id: "cloud-month", scope: "true", period: "month", periodStartMs: NOW, periodEndMs: NOW, atCap: "hold" },
			...{ capMicroUsd: 50_000n * M, postedMicroUsd: 31_482n * M, heldMicroUsd: 4_210n * M, freeMicroUsd: 14_308n * M },
			...{ periodKey: "2026-11-01", forecast: null },
		},
	],
	alerts: { count: 0, newest: null },
	month: null,
	ownMonth: null,
	forecast: forecast(43_100n, 46_900n, 52_400n),
	risk: { totalMicroUsd: "0", items: [] },
	scheduler: { instance: "a", atMs: NOW - 900, lastCycle: null },
	ledgerCheck: { checkedAtMs: NOW, ok: true, charges: 1_204, differenceCount: 0 },
	demoHistory: null,
	...more,
});

const idle = (): Partial<Summary> => ({
	...{ jobs: { ...summary().jobs, running: 0 }, owned: { gpus: 4, busy: 0 }, budgets: [] },
	cloud: { instances: 0, gpus: 0, burnMicroUsdPerHour: "0" },
});

function forecast(low: bigint, middle: bigint, high: bigint): Summary["forecast"] {
	const cloud = { lowMicroUsd: low * M, expectedMicroUsd: middle * M, highMicroUsd: high * M, samples: 28 };
	return { monthStartMs: NOW, monthEndMs: NOW, spentCloudMicroUsd: 0n, spentTotalMicroUsd: 0n, cloud, days: [], total: null };
}

const site = (more: Partial<Site> = {}): Site => ({
	...{
		id: "hall-b",
		name: "hall-b",
		provider: "slurm",
		kind: "owned",
		enabled: true,
		healthy: true,
		healthMessage: null,
		lastSeenAt: null,
	},
	...{
		gpusBusy: 61,
		gpusTotal: 64,
		instancesLive: 0,
		burnMicroUsdPerHour: "0",
		regions: [],
		pools: [],
		lastSweep: null,
		lastOrphanAt: null,
	},
	...more,
});

const text = (parts: readonly LeadPart[]) =>
	parts
		.map((p) => p.text)
		.join("")
		.trim();
const said = (more: Partial<Summary> = {}, sites = [site()], seesAll = true) => text(prepareLead(summary(more), sites, NOW, seesAll));

describe("prepareLead", () => {
	it("reports all clear with current cost and month-end forecast", () => {
		expect(said()).toBe(
			"All clear. hall-b is 95% busy, 3 machines in the cloud at $54.86/h. Month-end forecast: $3,100 under budget; at the high end $2,400 over.",
		);
	});

	it("reports over budget without a high end if the median is already over", () =>
		expect(said({ forecast: forecast(50_500n, 51_000n, 53_000n) })).toMatch(/Month-end forecast: \$1,000 over budget\.$/));

	it("orders by severity: scheduler, money at risk, unreachable site", () => {
		const risk = {
			totalMicroUsd: "1230000",
			items: [{ instanceId: "i", jobId: "j", why: "not_seen_gone" as const, sinceMs: NOW, microUsd: "1230000", isEstimate: false }],
		};
		const ill = [site(), site({ id: "aws", name: "AWS", kind: "cloud", healthy: false })];
		expect(said({ risk, scheduler: null }, ill)).toMatch(/^No scheduler is running/);
		expect(said({ risk }, ill)).toMatch(/^Money at risk: 1 machine to check/);
		expect(said({}, ill)).toMatch(/^AWS is unreachable\./);
	});

	it("reports a ledger mismatch before an unreachable site, and nothing if the check passed or did not run", () => {
		const ill = [site({ healthy: false })];
		const ledgerCheck = { checkedAtMs: NOW - 3_600_000, ok: false, charges: 9, differenceCount: 1 };
		expect(said({ ledgerCheck }, ill)).toMatch(/^The ledger does not balance: 1 difference from the charges, found 13:32\. /);
		expect(said({ ledgerCheck: null })).toBe(said());
	});

	it("does not treat a slow cycle as silence", () => {
		const at = (agoMs: number) => said({ scheduler: { instance: "a", atMs: NOW - agoMs, lastCycle: null } });
		expect(at(HEARTBEAT_LATE_MS)).toMatch(/^All clear/);
		expect(at(HEARTBEAT_LATE_MS + 1)).toMatch(/^Scheduler silent since 14:31\./);
	});

	it("separates queued from held jobs", () => {
		const queue = { jobs: 3, held: 1, gpus: 5, lastStart: { p50Ms: NOW + 42 * 60_000, p90Ms: NOW + 90 * 60_000 } };
		expect(said({ queue })).toContain("2 jobs queued, last owned start in about 42 min. 1 job held.");
	});

	it("does not compare one team's forecast with the company budget", () => {
		expect(said({}, [site()], false)).toMatch(/\$35,692\.00 of this month's \$50,000 cloud budget is spent or held\.$/);
	});

	it("reports an empty system", () => {
		expect(said(idle())).toBe("All clear. hall-b is free, no cloud jobs.");
	});

	it("reports open alerts first and then does not claim all clear", () => {
		const newest = { id: "alrt_1", title: "Budget cloud-month has passed 80% of its cap" };
		expect(said({ alerts: { count: 1, newest } })).toMatch(/^1 open alert: Budget cloud-month has passed 80% of its cap\. hall-b is/);
		expect(said({ alerts: { count: 3, newest } })).toMatch(
			/^3 alerts open, newest: Budget cloud-month has passed 80% of its cap\. hall-b is/,
		);
		const beside = said({ ...idle(), alerts: { count: 1, newest } });
		expect(beside).toMatch(/^1 open alert: .*\. hall-b is free/);
		expect(beside).not.toContain("clear");
	});

	it("reports open alerts after more severe problems", () => {
		const newest = { id: "alrt_1", title: "Budget cloud-month has passed 80% of its cap" };
		expect(said({ scheduler: null, alerts: { count: 1, newest } })).toMatch(/^No scheduler is running.* 1 open alert: /);
	});
});
