import type { BacktestDay, BacktestSums } from "#server/domain/backtest.ts";
import type { BudgetRule, Policy } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import type { ReplayJob } from "../replay/job.ts";
import { quantile } from "../replay/series.ts";
import type { Collector } from "./collector.ts";
import type { RecordedHistory } from "./history.ts";

interface Facts {
	history: RecordedHistory;
	policy: Policy;
	collector: Collector;
	/** All jobs, and those submitted in the period. */
	jobs: readonly ReplayJob[];
	submitted: readonly ReplayJob[];
	waiting: ReadonlyMap<string, Reason>;
	posted(budget: BudgetRule): Map<number, bigint>;
}

/** Totals of a replay. A job that has not started counts as waiting until the end; one cancelled before it started counts in no mean. */
export function sumsOf(facts: Facts): BacktestSums {
	const { history, collector, jobs, submitted, policy } = facts;
	const { fromMs, toMs } = history;
	const waits = submitted.flatMap((job) => waitOf(job, toMs));
	const sorted = Float64Array.from(waits, ({ waitMs }) => waitMs).sort();
	const slots = history.pools.reduce((sum, pool) => sum + pool.nodes * pool.gpusPerNode - (pool.unavailableSlots?.length ?? 0), 0);
	const due = submitted.filter((job) => job.deadlineAtMs !== null && job.deadlineAtMs <= toMs && !isWithdrawn(job));
	const missed = due.filter((job) => (job.finishedAtMs ?? Number.POSITIVE_INFINITY) > (job.deadlineAtMs ?? 0));
	return {
		jobs: submitted.length,
		cloudCostMicroUsd: String(collector.cloudCostMicroUsd),
		ownedGpuHours: round3(collector.homeGpuMs / HOUR_MS),
		cloudGpuHours: round3(collector.cloudGpuMs / HOUR_MS),
		ownedUtilisation: slots === 0 ? 0 : round4(collector.homeGpuMs / (slots * (toMs - fromMs))),
		meanWaitMs: meanOf(waits),
		p95WaitMs: Math.round(quantile(sorted, 0.95)),
		missedDeadlines: missed.length,
		egressGiB: round3(collector.egressGiB),
		emissionsGrams: collector.grams === null ? null : Math.round(collector.grams),
		waits: groupsOf(waits),
		budgets: policy.budgets.flatMap((budget) => budgetsOf(budget, facts.posted(budget))),
		days: daysOf(facts, waits, missed),
		waitingAtEnd: jobs.filter((job) => !job.run && job.finishedAtMs === null && !job.givenUp && !wasCut(job, toMs)).length,
		runningAtEnd: jobs.filter((job) => wasCut(job, toMs)).length,
		askedForApproval: [...facts.waiting.values()].filter(({ code }) => code === "approval_required").length,
		deadlines: due.length,
	};
}

interface Wait {
	job: ReplayJob;
	waitMs: number;
}

function waitOf(job: ReplayJob, toMs: number): Wait[] {
	if (job.firstStartMs !== null) return [{ job, waitMs: job.firstStartMs - job.submittedAtMs }];
	return job.givenUp ? [] : [{ job, waitMs: toMs - job.submittedAtMs }];
}

function isWithdrawn(job: ReplayJob): boolean {
	return job.givenUp && job.recorded?.withdrawnMs !== null;
}

/** It was running at the end of the period: cutting it off made it pending. */
function wasCut(job: ReplayJob, toMs: number): boolean {
	return job.finishedAtMs === null && !job.givenUp && job.attempts > 0 && job.pendingSinceMs === toMs;
}

function groupsOf(waits: readonly Wait[]): BacktestSums["waits"] {
	const classOf = ({ job }: Wait) => job.recorded?.spec.class ?? "burst";
	const groups = Map.groupBy(waits, (wait) => `${wait.job.team}\n${classOf(wait)}`);
	return [...groups]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.flatMap(([, own]) => {
			const [first] = own;
			return first ? [{ team: first.job.team, class: classOf(first), jobs: own.length, meanWaitMs: meanOf(own) }] : [];
		});
}

function meanOf(waits: readonly Wait[]): number {
	return waits.length === 0 ? 0 : Math.round(waits.reduce((sum, { waitMs }) => sum + waitMs, 0) / waits.length);
}

function budgetsOf(budget: BudgetRule, posted: ReadonlyMap<number, bigint>): BacktestSums["budgets"] {
	return [...posted]
		.sort(([a], [b]) => a - b)
		.map(([month, microUsd]) => ({
			id: budget.id,
			periodKey: `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}-01`,
			capMicroUsd: String(budget.capMicroUsd),
			postedMicroUsd: String(microUsd),
		}));
}

function daysOf({ history: { fromMs, toMs }, collector }: Facts, waits: readonly Wait[], missed: readonly ReplayJob[]): BacktestDay[] {
	const waitsBy = Map.groupBy(waits, ({ job }) => Math.floor(job.submittedAtMs / DAY_MS));
	const missedBy = Map.groupBy(missed, (job) => Math.floor((job.deadlineAtMs ?? 0) / DAY_MS));
	const days: BacktestDay[] = [];
	for (let day = Math.floor(fromMs / DAY_MS); day * DAY_MS < toMs; day++) {
		const sums = collector.days.get(day) ?? { costMicroUsd: 0, grams: 0 };
		const own = waitsBy.get(day);
		days.push({
			date: new Date(day * DAY_MS).toISOString().slice(0, 10),
			cloudCostMicroUsd: String(Math.round(sums.costMicroUsd)),
			meanWaitMs: own ? meanOf(own) : null,
			missedDeadlines: missedBy.get(day)?.length ?? 0,
			emissionsGrams: sums.grams === null ? null : Math.round(sums.grams),
		});
	}
	return days;
}

function round3(value: number): number {
	return Math.round(value * 1e3) / 1e3;
}

function round4(value: number): number {
	return Math.round(value * 1e4) / 1e4;
}
