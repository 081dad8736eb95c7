import { and, desc, eq, gte, isNotNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { nameInput } from "#server/contract/inputs/policy.ts";
import { decision } from "#server/db/schema/decision.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { activePolicy } from "./active.ts";

export const EFFECT_DAYS = 30;
/** Explanations are large, so only the latest are read. */
const DECISIONS_MAX = 2_000;

export interface RuleEffect {
	ruleId: string;
	/** Jobs for which it excluded places, and the places over all their placements. */
	jobs: number;
	places: number;
	/** Placements that would have gone to a place that only this rule is recorded to exclude: it ranked better, by a known price. */
	changed: number;
	/** Estimated cost of the chosen places minus that of the excluded ones; negative: the rule saved money. null: nothing changed. */
	costMicroUsd: string | null;
	/** Jobs that it sent to the cloud. */
	sent: number;
}

export interface PolicyEffects {
	version: number;
	from: string;
	to: string;
	/** Placements that the figures are from. */
	placements: number;
	/** Older placements of the time were not read. */
	truncated: boolean;
	rules: RuleEffect[];
}

/**
 * What each rule of the active policy did in the last 30 days, by the explanations recorded with placements under the active version. A
 * place is counted for the first rule that excluded it.
 * @throws SpillwayError `forbidden`, `not_found`
 */
export async function listEffects(ctx: ServiceContext, raw: z.input<typeof nameInput>): Promise<PolicyEffects> {
	authorize(ctx, "policy:edit", null);
	const { name } = nameInput.parse(raw);
	const { policy, version } = await activePolicy(ctx.db, name);
	const nowMs = ctx.clock.nowMs();
	const from = new Date(nowMs - EFFECT_DAYS * DAY_MS);
	const placed = ctx.db
		.select({ jobId: decision.jobId, explanation: decision.explanation, attempt: decision.attemptNumber })
		.from(decision)
		.where(
			and(
				eq(decision.policyName, name),
				eq(decision.policyVersion, version),
				gte(decision.decidedAt, from),
				isNotNull(decision.attemptNumber),
			),
		)
		.orderBy(desc(decision.decidedAt))
		.limit(DECISIONS_MAX + 1);
	const [counted] = await ctx.db.execute<{ n: number }>(sql`select count(*)::int as n from (${placed}) p`);
	const excluded = await ctx.db.execute<{
		rule: string;
		jobs: number;
		places: number;
		changed: number;
		cost: string | null;
	}>(sql`
		with placed as materialized (${placed}),
		by_rule as (
			select p.job_id, p.attempt_number, r ->> 'ruleId' as rule, sum((r ->> 'count')::int) as places,
				(array_agg(r -> 'cheapest' order by (r -> 'cheapest' ->> 'scoreMicroUsd')::numeric))[1] as best,
				(select c from jsonb_array_elements(p.explanation -> 'candidates') c where c ->> 'outcome' = 'chosen' limit 1) as chosen
			from placed p, jsonb_array_elements(p.explanation -> 'removed') r
			where r ->> 'ruleId' is not null
			group by p.job_id, p.attempt_number, p.explanation, rule
		), compared as (
			select *, coalesce((best ->> 'scoreMicroUsd')::numeric < (chosen ->> 'scoreMicroUsd')::numeric, false)
				and not coalesce(best -> 'placement' ->> 'capacityType' in ('spot', 'on_demand') and best ->> 'hourlyMicroUsd' = '0', false) as changed
			from by_rule
		)
		select rule, count(distinct job_id)::int as jobs, sum(places)::int as places, (count(*) filter (where changed))::int as changed,
			(sum((chosen ->> 'totalMicroUsd')::numeric - (best ->> 'totalMicroUsd')::numeric) filter (where changed))::text as cost
		from compared group by rule`);
	const sent = await ctx.db.execute<{ rule: string; jobs: number }>(sql`
		select explanation -> 'reason' -> 'facts' ->> 'ruleId' as rule, count(distinct job_id)::int as jobs
		from (${placed}) p where explanation ->> 'outcome' = 'launch' group by 1`);
	const [byRule, sentBy] = [new Map(excluded.map((row) => [row.rule, row])), new Map(sent.map(({ rule, jobs }) => [rule, jobs]))];
	const placements = counted?.n ?? 0;
	return {
		...{ version, from: from.toISOString(), to: new Date(nowMs).toISOString() },
		placements: Math.min(placements, DECISIONS_MAX),
		truncated: placements > DECISIONS_MAX,
		rules: policy.rules.map(({ id }) => {
			const { jobs = 0, places = 0, changed = 0, cost = null } = byRule.get(id) ?? {};
			return { ruleId: id, jobs, places, changed, costMicroUsd: cost === null ? null : String(BigInt(cost)), sent: sentBy.get(id) ?? 0 };
		}),
	};
}
