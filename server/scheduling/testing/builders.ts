import type { Offer } from "#server/domain/capacity.ts";
import type { DataRef, JobSpec } from "#server/domain/job.ts";
import type { BudgetRule, Policy, Rule, RuleEffect } from "#server/domain/policy.ts";
import type { CapacityType, WorkloadClass } from "#server/domain/vocabulary.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { BudgetView, PendingJob, PoolView, RunningAttempt, Snapshot } from "../types.ts";

/** Saturday 2026-11-21, 12:00 UTC: the moment of every built snapshot. */
export const NOON_MS = Date.UTC(2026, 10, 21, 12);

export interface JobBuilder {
	named(name: string): JobBuilder;
	team(team: string): JobBuilder;
	class(value: WorkloadClass): JobBuilder;
	gpus(gpus: number): JobBuilder;
	nodes(nodes: number): JobBuilder;
	accelerators(...names: string[]): JobBuilder;
	cpus(cpus: number): JobBuilder;
	memoryGiB(memoryGiB: number): JobBuilder;
	estimate(ms: number): JobBuilder;
	max(ms: number): JobBuilder;
	priority(priority: number): JobBuilder;
	deadline(atMs: number): JobBuilder;
	waited(ms: number): JobBuilder;
	completed(ms: number): JobBuilder;
	held(): JobBuilder;
	avoids(offerId: string, untilMs: number): JobBuilder;
	approved(usd: number): JobBuilder;
	data(...data: DataRef[]): JobBuilder;
	build(): PendingJob;
	/** The same job as a live attempt in slots of a pool, started `ranMs` ago. */
	running(poolId: string, slots: number[], ranMs: number): RunningAttempt;
}

/** A one-GPU job that runs for an hour, submitted now. The id is derived from the name. */
export function aJob(name = "job"): JobBuilder {
	return builderOf({
		jobId: `job_${name}`,
		spec: specOf(name),
		state: "queued",
		submittedAtMs: NOON_MS,
		pendingSinceMs: NOON_MS,
		nextAttemptNo: 1,
		completedMs: 0,
		avoidOffers: [],
		approvedMicroUsd: null,
	});
}

function specOf(name: string): JobSpec {
	return {
		name,
		team: "risk",
		project: null,
		labels: {},
		class: "burst",
		image: null,
		command: ["true"],
		env: {},
		nodes: 1,
		resources: { gpus: 1, accelerators: [], cpus: null, memoryGiB: null },
		duration: { estimateMs: HOUR_MS, maxMs: null },
		deadlineMs: null,
		priority: 50,
		critical: false,
		checkpoint: null,
		data: [],
	};
}

function builderOf(job: PendingJob): JobBuilder {
	const withJob = (part: Partial<PendingJob>): JobBuilder => builderOf({ ...job, ...part });
	const withSpec = (part: Partial<JobSpec>): JobBuilder => withJob({ spec: { ...job.spec, ...part } });
	const withResources = (part: Partial<JobSpec["resources"]>): JobBuilder => withSpec({ resources: { ...job.spec.resources, ...part } });
	const withDuration = (part: Partial<JobSpec["duration"]>): JobBuilder => withSpec({ duration: { ...job.spec.duration, ...part } });
	return {
		named: (name) => withJob({ jobId: `job_${name}`, spec: { ...job.spec, name } }),
		team: (team) => withSpec({ team }),
		class: (value) => withSpec({ class: value }),
		gpus: (gpus) => withResources({ gpus }),
		nodes: (nodes) => withSpec({ nodes }),
		accelerators: (...accelerators) => withResources({ accelerators }),
		cpus: (cpus) => withResources({ cpus }),
		memoryGiB: (memoryGiB) => withResources({ memoryGiB }),
		estimate: (estimateMs) => withDuration({ estimateMs }),
		max: (maxMs) => withDuration({ maxMs }),
		priority: (priority) => withSpec({ priority }),
		deadline: (deadlineMs) => withSpec({ deadlineMs }),
		waited: (ms) => withJob({ submittedAtMs: NOON_MS - ms, pendingSinceMs: NOON_MS - ms }),
		completed: (completedMs) => withJob({ completedMs }),
		held: () => withJob({ state: "held" }),
		avoids: (offerId, untilMs) => withJob({ avoidOffers: [...job.avoidOffers, { offerId, untilMs }] }),
		approved: (usd) => withJob({ approvedMicroUsd: usdToMicro(usd) }),
		data: (...data) => withSpec({ data }),
		build: () => job,
		running: (poolId, slots, ranMs) => ({
			jobId: job.jobId,
			attemptId: `att_${job.spec.name}_001`,
			spec: job.spec,
			placement: {
				siteId: "home",
				provider: "local",
				region: null,
				zone: null,
				capacityType: "owned",
				instanceType: null,
				poolId,
				accelerator: null,
			},
			slots,
			startedAtMs: NOON_MS - ranMs,
			placedAtMs: NOON_MS - ranMs,
			completedMs: job.completedMs,
			stopping: false,
		}),
	};
}

/** By default one node with four free GPUs. */
export function aPool(part: Partial<PoolView> = {}): PoolView {
	const nodes = part.nodes ?? 1;
	const gpusPerNode = part.gpusPerNode ?? 4;
	return {
		id: "home-a",
		siteId: "home",
		accelerator: "A10G-24GB",
		nodes,
		gpusPerNode,
		microUsdPerGpuHour: usdToMicro("0.5"),
		wattsPerGpu: 150,
		gridGramsPerKwh: 400,
		pue: 1.5,
		healthy: true,
		multiNode: nodes > 1,
		freeSlots: Array.from({ length: nodes * gpusPerNode }, (_, i) => i),
		...part,
	};
}

/** An on-demand machine with one A10G at $1.00 an hour, observed a minute ago. */
export function anOffer(part: Partial<Offer> & { usd?: number | string | null } = {}): Offer {
	const { usd = "1.00", ...rest } = part;
	const region = rest.region ?? "us-east-1";
	const instanceType = rest.instanceType ?? "g5.xlarge";
	const capacityType: Exclude<CapacityType, "owned"> = rest.capacityType ?? "on_demand";
	return {
		id: `aws:${region}:*:${instanceType}:${capacityType}`,
		siteId: "aws",
		provider: "aws",
		region,
		zone: null,
		instanceType,
		accelerator: "A10G-24GB",
		gpus: 1,
		vcpus: 4,
		memoryGiB: 16,
		capacityType,
		microUsdPerHour: usd === null ? null : usdToMicro(usd),
		onDemandMicroUsdPerHour: null,
		priceObservedAtMs: NOON_MS - MINUTE_MS,
		priceSource: "test",
		backoffUntilMs: null,
		backoffReason: null,
		egressMicroUsdPerGiB: usdToMicro("0.09"),
		gridGramsPerKwh: 380,
		pue: 1.15,
		...rest,
	};
}

/** A rule that lets every job leave once the forecast wait exceeds ten seconds, plus the given rules. */
export function aPolicy(
	part: {
		rules?: [string, string | null, RuleEffect][];
		budgets?: (Partial<BudgetRule> & { id: string })[];
		caps?: Policy["caps"];
		shares?: Policy["shares"];
		weights?: Policy["weights"];
	} = {},
): Policy {
	const rules = part.rules ?? [BURST_AFTER_10S];
	return {
		name: "test",
		rules: rules.map(([id, when, effect], i): Rule => ({ id, when, line: i + 1, effect })),
		budgets: (part.budgets ?? []).map((b, i) => ({
			scope: "true",
			period: "month",
			capMicroUsd: usdToMicro(1000),
			atCap: "hold",
			line: 100 + i,
			...b,
		})),
		caps: part.caps ?? [],
		shares: part.shares ?? [],
		weights: part.weights ?? { delayMicroUsdPerHour: usdToMicro(5), carbonMicroUsdPerTonne: usdToMicro(80) },
	};
}

export function burstRule(part: Partial<Extract<RuleEffect, { kind: "burst" }>>): RuleEffect {
	return {
		kind: "burst",
		forecastWaitMs: null,
		waitedMs: null,
		deadlineSlackMs: null,
		queueLength: null,
		always: false,
		costAtMostMicroUsd: null,
		dataAtMostGiB: null,
		...part,
	};
}

export function denyRule(part: Partial<Omit<Extract<RuleEffect, { kind: "deny" }>, "kind">>): RuleEffect {
	return { kind: "deny", sites: [], regions: [], instanceFamilies: [], capacityTypes: [], ...part };
}

export const BURST_AFTER_10S: [string, null, RuleEffect] = ["burst-on-wait", null, burstRule({ forecastWaitMs: 10 * SECOND_MS })];

export function aBudget(id: string, usd: { cap: number | string; posted?: number | string; held?: number | string }): BudgetView {
	return {
		id,
		scope: "true",
		capMicroUsd: usdToMicro(usd.cap),
		postedMicroUsd: usdToMicro(usd.posted ?? 0),
		heldMicroUsd: usdToMicro(usd.held ?? 0),
	};
}

/** One home pool, no offers, the ten-second burst rule, instances that take a minute to start. */
export function aSnapshot(part: Partial<Snapshot> = {}): Snapshot {
	return {
		nowMs: NOON_MS,
		seed: 1,
		policy: aPolicy(),
		policyVersion: 1,
		pools: [aPool()],
		offers: [],
		pending: [],
		running: [],
		budgets: [],
		durations: [],
		priceMaxAgeMs: DAY_MS,
		cloudStartMs: { p50Ms: MINUTE_MS, p90Ms: 2 * MINUTE_MS },
		...part,
	};
}
