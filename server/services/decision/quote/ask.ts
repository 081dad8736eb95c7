import type { Candidate, Explanation } from "#server/domain/decision.ts";
import type { ElectricityAhead } from "#server/domain/home-electricity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { gpusOf } from "#server/domain/job.ts";
import { outlookSentence } from "#server/domain/outlook-sentence.ts";
import type { Prospect } from "#server/domain/suggestion.ts";
import { ROLES, type Role } from "#server/domain/vocabulary.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { givenForecast } from "#server/scheduling/forecast/record.ts";
import { askedJob } from "#server/scheduling/quote/asked-job.ts";
import { makeRiskOf, type RiskOf } from "#server/scheduling/quote/risk-of.ts";
import { prospectOf, suggest } from "#server/scheduling/quote/suggest.ts";
import { makeRunTimeOf } from "#server/scheduling/run-time.ts";
import type { PendingJob, Snapshot } from "#server/scheduling/types.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { type ReasonView, reasonView } from "#server/services/core/view.ts";
import { electricityAhead } from "#server/services/pricing/owned/gpu-hour-prices.ts";
import { type ApprovalOutlook, readOutlook } from "#server/services/work/approval/outlook.ts";
import { withNamedModels } from "#server/services/work/job/named-models.ts";
import { runUserOf, withUser } from "#server/services/work/job/run-user.ts";
import { withTokenLimit } from "#server/services/work/job/token-limit.ts";
import { type ForecastScore, scoreOfHorizon } from "../forecast/score.ts";
import { decideAsked, presentSnapshot } from "./decide-asked.ts";
import { askedVariants, type SuggestionView, suggestionView } from "./suggestions.ts";

/** A candidate with the chance that the job would miss its deadline there. */
export interface QuotedCandidate extends Candidate {
	/** 0 to 1 (scheduling/quote/deadline-risk); null without a deadline, and where it could never start. */
	deadlineRisk: number | null;
}

export interface QuoteView extends Omit<Explanation, "reason" | "jobId" | "candidates" | "removed"> {
	reason: ReasonView;
	candidates: QuotedCandidate[];
	removed: (Omit<Explanation["removed"][number], "cheapest"> & { cheapest: QuotedCandidate })[];
	gpus: number;
	/** Jobs that wait ahead of it, and GPUs they request. */
	queue: { jobs: number; gpus: number };
	/** Expected run time, from past runs with its name, its estimate or its team (scheduling/run-time). */
	runTime: { p50Ms: number; p90Ms: number };
	/** Placement and cost if submitted now; null while it would be held, and when nothing can run it. */
	expected: Prospect | null;
	/** Changes that would make it cheaper or start it sooner, one change each. At most four, best first. */
	suggestions: SuggestionView[];
	/** Who could approve, and the usual answer time, when a rule requires approval first; otherwise null. */
	approval: (ApprovalOutlook & { ruleId: string; sentence: string }) | null;
	/** How often forecasts of a similar wait at home were right; null when it would start immediately or never, or none was scored yet. */
	forecastScore: ForecastScore | null;
	/** The same for forecasts made at submission, as this one is. */
	quoteScore: ForecastScore | null;
	/** Home sites where the price per GPU-hour uses known electricity prices. */
	electricity: ElectricityAhead[];
	/** Free amount of the tightest budget that covers the job, micro-dollars; null when none does. */
	budgetFree: { budgetId: string; freeMicroUsd: string; capMicroUsd: string } | null;
}

/**
 * What the job would get if submitted now, and better variants: the same `decide` over the same snapshot, with the job and its
 * variants added. Nothing is written.
 */
export async function askQuote(ctx: ServiceContext & { timing: Timing }, written: JobSpec): Promise<QuoteView> {
	authorize(ctx, "quote:ask", written.team);
	const spec = withUser(withNamedModels(withTokenLimit(ctx.actor, written)), runUserOf(ctx.actor));
	const snapshot = await presentSnapshot(ctx);
	const job = askedJob(spec, snapshot);
	const variants = askedVariants(spec, snapshot);
	const { plan, explanationOf } = decideAsked(ctx, snapshot, [job, ...variants.map((v) => v.job)]);
	const { jobId, reason, candidates, removed, ...explanation } = explanationOf(job.jobId);
	const range = plan.forecasts.get(jobId);
	const forecast = range ? givenForecast(plan.replayed?.get(jobId) ?? range, range, snapshot.nowMs) : null;
	const { pending } = snapshot;
	const runTime = makeRunTimeOf(snapshot.durations)(spec);
	const riskOf = makeRiskOf(snapshot);
	const expected = prospectOf(explanationOf(jobId), job, riskOf);
	const others = variants.map((v) => ({ ...v, explanation: explanationOf(v.job.jobId) }));
	return {
		...explanation,
		reason: reasonView(reason),
		candidates: candidates.map((c) => quoted(c, job, riskOf)),
		removed: removed.map((group) => ({ ...group, cheapest: quoted(group.cheapest, job, riskOf) })),
		gpus: gpusOf(spec),
		queue: { jobs: pending.length, gpus: pending.reduce((sum, p) => sum + gpusOf(p.spec), 0) },
		runTime: { p50Ms: runTime.p50Ms, p90Ms: runTime.p90Ms },
		expected,
		suggestions: suggest(expected, others, snapshot, riskOf).map(suggestionView),
		approval: await approvalOf(ctx, reason, snapshot.nowMs),
		forecastScore: forecast ? await scoreOfHorizon(ctx.db, forecast.horizon) : null,
		quoteScore: forecast ? await scoreOfHorizon(ctx.db, forecast.horizon, "quotes") : null,
		electricity: await electricityAhead(ctx.db, [...new Set(snapshot.pools.map((pool) => pool.siteId))], snapshot.nowMs),
		budgetFree: tightestBudget(snapshot, spec),
	};
}

function quoted(candidate: Candidate, job: PendingJob, riskOf: RiskOf): QuotedCandidate {
	return { ...candidate, deadlineRisk: riskOf(job, candidate) };
}

async function approvalOf(ctx: ServiceContext, { code, facts }: Explanation["reason"], nowMs: number): Promise<QuoteView["approval"]> {
	const role = ROLES.find((r): r is Role => r === facts["role"]);
	if (code !== "approval_required" || !role) return null;
	const outlook = await readOutlook(ctx.db, role, actorName(ctx.actor), nowMs);
	return { ruleId: String(facts["ruleId"]), ...outlook, sentence: outlookSentence(outlook) };
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
