import { and, isNotNull, isNull, ne } from "drizzle-orm";
import { instance } from "#server/db/schema/instance.ts";
import type { PreparedItem } from "#server/domain/preparation.ts";
import { reason } from "#server/domain/reasons.ts";
import { choosePreparation } from "#server/scheduling/prewarm/choose-preparation.ts";
import { PREWARM_REVIEW_MS } from "#server/scheduling/prewarm/decide-prewarm.ts";
import { type LikeJob, planLive, type WarmLaunch } from "#server/scheduling/prewarm/plan-live.ts";
import { type LiveRule, liveRules } from "#server/scheduling/prewarm/serves.ts";
import type { Snapshot } from "#server/scheduling/types.ts";
import { giveUpWarm, launchWarm } from "#server/services/capacity/instance/warm.ts";
import { readPrewarmFacts } from "#server/services/decision/prewarm/read-facts.ts";
import { askCaps } from "#server/services/work/job/ask-caps.ts";
import type { LoopContext } from "./context.ts";

/** When the rules were last reviewed, and for which policy. Losing it costs one review. */
export interface PrewarmMemory {
	reviewedAtMs: number;
	policyVersion: number;
}

export function newPrewarmMemory(): PrewarmMemory {
	return { reviewedAtMs: Number.NEGATIVE_INFINITY, policyVersion: 0 };
}

/**
 * Launches machines without a job for the policy's prewarm rules, and gives up those that are not worth their cost any more. Calls no driver:
 * the sync of the clouds does. Returns the sites with new intents.
 */
export async function reviewPrewarm(ctx: LoopContext, snapshot: Snapshot, memory: PrewarmMemory): Promise<Set<string>> {
	const sites = new Set<string>();
	const { nowMs, policy, policyVersion } = snapshot;
	if (policyVersion === memory.policyVersion && nowMs - memory.reviewedAtMs < PREWARM_REVIEW_MS) return sites;
	Object.assign(memory, { reviewedAtMs: nowMs, policyVersion });
	const rules = liveRules(policy);
	await endRemoved(ctx, rules, nowMs);
	for (const rule of rules) {
		const bootMs = snapshot.cloudStartMs.p50Ms;
		const { facts, like, specs, stoppedStart } = await ctx.db.transaction((tx) => readPrewarmFacts(tx, rule, { nowMs, bootMs }), {
			accessMode: "read only",
		});
		const plan = planLive(snapshot, rule, like, facts, stoppedStart);
		for (const { id, why } of plan.end) await giveUp(ctx, { instanceId: id, ruleId: rule.id, why, nowMs });
		const { launchOn } = plan;
		if (!launchOn || !like || plan.launch === 0) continue;
		const preparation = choosePreparation(snapshot, rule.effect, { offer: launchOn.offer, specs });
		for (let i = 0; i < plan.launch; i++) {
			if (!(await launch(ctx, snapshot, { rule, like, launchOn, preparation }))) break;
			sites.add(launchOn.offer.siteId);
		}
	}
	return sites;
}

/** Machines of rules that the policy no longer has. */
async function endRemoved(ctx: LoopContext, rules: readonly LiveRule[], nowMs: number): Promise<void> {
	const rows = await ctx.db
		.select({ id: instance.id, ruleId: instance.warmRule })
		.from(instance)
		.where(and(isNotNull(instance.warmRule), isNull(instance.attemptId), ne(instance.state, "terminated")));
	for (const { id, ruleId } of rows) {
		if (rules.some((rule) => rule.id === ruleId)) continue;
		await giveUp(ctx, { instanceId: id, ruleId, why: "rule_removed", nowMs });
	}
}

async function giveUp(
	ctx: LoopContext,
	{ instanceId, ruleId, why, nowMs }: { instanceId: string; ruleId: string | null; why: string; nowMs: number },
): Promise<void> {
	await ctx.db.transaction((tx) => giveUpWarm(tx, { instanceId, reason: reason("kept_warm_over", { ruleId, why }), atMs: nowMs }));
	ctx.probe("prewarm:given_up");
}

/** Budget, caps and number are checked again in the transaction that writes the intent. */
async function launch(
	ctx: LoopContext,
	snapshot: Snapshot,
	{ rule, like, launchOn, preparation }: { rule: LiveRule; like: LikeJob; launchOn: WarmLaunch; preparation: PreparedItem[] },
): Promise<boolean> {
	const { id, effect } = rule;
	const { microUsdPerHour } = launchOn.offer;
	const written = await ctx.db.transaction(async (tx) => {
		const ask = { microUsdPerHour: microUsdPerHour ?? 0n, instances: 1, egressGiB: 0 };
		if ((await askCaps(tx, { snapshot, spec: like.spec, ask })) !== null) return null;
		return launchWarm(tx, {
			rule: { id, machines: effect.machines, capMicroUsdPerMonth: effect.capMicroUsdPerMonth },
			...{ warmFor: like.jobId, ...launchOn, preparation, bootstrapHashFor: ctx.bootstrapHashFor, nowMs: snapshot.nowMs },
		});
	});
	ctx.probe("prewarm:intent_written");
	return written !== null;
}
