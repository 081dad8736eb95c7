import { eq } from "drizzle-orm";
import { z } from "zod";
import { policyText } from "#server/contract/inputs/policy.ts";
import { pool, site } from "#server/db/schema/site.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { parseJobText } from "#server/domain/job-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";
import { type RuleTrial, type TriedPlace, tryRule } from "#server/policy/try-rule.ts";
import { offeredHardwareRemoval } from "#server/scheduling/removal.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { listOffers } from "#server/services/pricing/offer/list.ts";
import { readableJob } from "#server/services/work/readable-job.ts";

export const tryRuleInput = z.strictObject({
	/** The whole policy, or one with just the rule while the rest has errors. */
	source: policyText,
	ruleId: z.string().min(1).max(63),
	job: z.union([z.strictObject({ id: z.string().min(1).max(64) }), z.strictObject({ text: z.string().max(256 * 1024) })]),
});

export interface TriedRule extends RuleTrial {
	job: { name: string; team: string; gpus: number };
}

/**
 * The effect of one rule of a text on a job with the current offers. Only places are judged, not prices.
 * @throws SpillwayError `invalid_input` when the policy or the job cannot be read, `not_found` for the job or the rule.
 */
export async function tryPolicyRule(ctx: ServiceContext, raw: z.input<typeof tryRuleInput>): Promise<TriedRule> {
	authorize(ctx, "policy:read", null);
	const { source, ruleId, job } = tryRuleInput.parse(raw);
	const { policy, problems } = parseStoredPolicy(source);
	if (!policy) {
		const first = problems[0];
		throw new SpillwayError("invalid_input", `Could not test the rule: ${first?.message ?? "the policy cannot be read"}`, {
			fix: first?.fix ?? "Correct it first.",
			fields: problems.map(({ message, line, column }) => ({ path: "", message, line, column })),
		});
	}
	const spec = "id" in job ? (await readableJob(ctx, job.id)).spec : parseJobText(job.text);
	const trial = tryRule(policy, ruleId, spec, await placesFor(ctx, spec));
	if (!trial) throw new SpillwayError("not_found", `The policy has no rule ${ruleId}.`);
	return { ...trial, job: { name: spec.name, team: spec.team, gpus: spec.nodes * spec.resources.gpus } };
}

async function placesFor(ctx: ServiceContext, spec: JobSpec): Promise<TriedPlace[]> {
	const [offers, homes] = await Promise.all([
		listOffers(ctx.db, ctx.clock.nowMs()),
		ctx.db.select({ id: site.id, provider: site.provider }).from(site).innerJoin(pool, eq(pool.siteId, site.id)),
	]);
	const lengthMs = spec.duration.estimateMs ?? spec.duration.maxMs;
	const atHome = [...new Map(homes.map((home) => [home.id, home])).values()].map(({ id, provider }) => ({
		place: { siteId: id, provider, region: null, instanceType: null, capacityType: "owned" as const },
		...{ offer: null, costUsd: null, hourlyUsd: null },
	}));
	const inClouds = offers
		.filter(
			(o) => offeredHardwareRemoval(spec, { accelerator: o.accelerator, gpus: o.gpus, cpus: o.vcpus, memoryGiB: o.memoryGiB }) === null,
		)
		.map((offer): TriedPlace => {
			const { siteId, provider, region, instanceType, capacityType, microUsdPerHour } = offer;
			// For judging and showing alone, where a float is enough.
			const hourlyUsd = microUsdPerHour === null ? null : (Number(microUsdPerHour) / 1e6) * spec.nodes;
			const costUsd = hourlyUsd === null || lengthMs === null ? null : (hourlyUsd * lengthMs) / HOUR_MS;
			return { place: { siteId, provider, region, instanceType, capacityType }, offer, hourlyUsd, costUsd };
		});
	return [...atHome, ...inClouds];
}
