import type { Explanation } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { gpusOf } from "#server/domain/job.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { decide } from "#server/scheduling/decide.ts";
import { givenForecast } from "#server/scheduling/forecast/record.ts";
import { makeRunTimeOf } from "#server/scheduling/run-time.ts";
import type { Snapshot } from "#server/scheduling/types.ts";
import { authorize } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { type ForecastScore, scoreOfHorizon } from "../forecast/score.ts";
import { type ReasonView, reasonView } from "../job/view.ts";
import { loadSnapshot, SnapshotCache } from "../snapshot/load.ts";
import type { Timing } from "../timing.ts";

export interface QuoteView extends Omit<Explanation, "reason" | "jobId"> {
	reason: ReasonView;
	gpus: number;
	/** Jobs that wait before it, and GPUs they ask for. */
	queue: { jobs: number; gpus: number };
	/** How long it would run, from past runs of its name, its estimate or its team (scheduling/run-time). */
	runTime: { p50Ms: number; p90Ms: number };
	/** How often forecasts of such a wait at home held; null when it would start at once, never, or none was scored yet. */
	forecastScore: ForecastScore | null;
	/** The same of what jobs were told as they were submitted, as here: nobody had waited yet. */
	quoteScore: ForecastScore | null;
	/** Free of the tightest budget that holds the job, micro-dollars; null when no budget does. */
	budgetFree: { budgetId: string; freeMicroUsd: string; capMicroUsd: string } | null;
}

/** The id under which the asked-for job stands in the snapshot: sorts after every real one submitted before it. */
const QUOTED = "job_zzzzzzzzzzzzzzzzzzzzzzzzzz";

/** Specs of the pending jobs are kept between quotes. */
const cache = new SnapshotCache();

/**
 * What the job would meet if it were submitted now: the same `decide`, over the same snapshot with the job added.
 * Nothing is written.
 */
export async function askQuote(ctx: ServiceContext & { timing: Timing }, spec: JobSpec): Promise<QuoteView> {
	authorize(ctx, "quote:ask", spec.team);
	const { snapshot } = await loadSnapshot(ctx, cache);
	const asked = {
		jobId: QUOTED,
		spec,
		state: "queued" as const,
		submittedAtMs: snapshot.nowMs,
		pendingSinceMs: snapshot.nowMs,
		nextAttemptNo: 1,
		completedMs: 0,
		avoidOffers: [],
		approvedMicroUsd: null,
	};
	const plan = decide({ ...snapshot, pending: [...snapshot.pending, asked] }, { explain: new Set([QUOTED]) });
	const found = plan.explanations.find((e) => e.jobId === QUOTED);
	if (!found) throw new Error("the decision core did not explain the quoted job");
	const { jobId: _, reason, ...explanation } = found;
	const told = plan.forecasts.get(QUOTED);
	const given = told ? givenForecast(plan.replayed?.get(QUOTED) ?? told, told, snapshot.nowMs) : null;
	const pending = snapshot.pending;
	const runTime = makeRunTimeOf(snapshot.durations)(spec);
	return {
		...explanation,
		reason: reasonView(reason),
		gpus: gpusOf(spec),
		queue: { jobs: pending.length, gpus: pending.reduce((sum, p) => sum + gpusOf(p.spec), 0) },
		runTime: { p50Ms: runTime.p50Ms, p90Ms: runTime.p90Ms },
		forecastScore: given ? await scoreOfHorizon(ctx.db, given.horizon) : null,
		quoteScore: given ? await scoreOfHorizon(ctx.db, given.horizon, "quotes") : null,
		budgetFree: tightestBudget(snapshot, spec),
	};
}

function tightestBudget(snapshot: Snapshot, spec: JobSpec): QuoteView["budgetFree"] {
	const ids = new Set(judgeJob(snapshot.policy, spec).budgets.map((b) => b.id));
	const views = snapshot.budgets
		.filter((b) => ids.has(b.id))
		.map((b) => ({ budgetId: b.id, free: b.capMicroUsd - b.postedMicroUsd - b.heldMicroUsd, cap: b.capMicroUsd }))
		.sort((a, b) => (a.free < b.free ? -1 : a.free > b.free ? 1 : 0));
	const first = views[0];
	return first ? { budgetId: first.budgetId, freeMicroUsd: first.free.toString(), capMicroUsd: first.cap.toString() } : null;
}
