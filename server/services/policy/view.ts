import { desc, eq } from "drizzle-orm";
import { policyVersion } from "#server/db/schema/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { type Description, describePolicy, describeRule } from "#server/policy/describe-rule.ts";
import { authorize } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { activePolicy } from "./active.ts";

export interface PolicyView {
	name: string;
	version: number;
	source: string;
	author: string;
	message: string;
	publishedAt: string;
	rules: Description[];
	/** Rules, budgets and weights as sentences, in the order of their groups. */
	sentences: Description[];
	budgets: { id: string; scope: string; period: string; capMicroUsd: string; atCap: string }[];
	weights: { delayMicroUsdPerHour: string; carbonMicroUsdPerTonne: string };
	versions: { version: number; author: string; message: string; createdAt: string }[];
}

/** The policy in force, as text and as sentences. */
export async function viewPolicy(ctx: ServiceContext, name: string): Promise<PolicyView> {
	authorize(ctx, "policy:read", null);
	const [known] = await ctx.db.select({ name: policyVersion.name }).from(policyVersion).where(eq(policyVersion.name, name)).limit(1);
	if (!known) throw new SpillwayError("not_found", `There is no policy "${name}".`, { fix: "The one in force is named default." });
	const active = await activePolicy(ctx.db, name);
	const versions = await ctx.db
		.select()
		.from(policyVersion)
		.where(eq(policyVersion.name, name))
		.orderBy(desc(policyVersion.version))
		.limit(50);
	return {
		name,
		version: active.version,
		source: active.source,
		author: active.author,
		message: active.message,
		publishedAt: active.createdAt.toISOString(),
		rules: active.policy.rules.map(describeRule),
		sentences: describePolicy(active.policy),
		budgets: active.policy.budgets.map((b) => ({
			id: b.id,
			scope: b.scope,
			period: b.period,
			capMicroUsd: b.capMicroUsd.toString(),
			atCap: b.atCap,
		})),
		weights: {
			delayMicroUsdPerHour: active.policy.weights.delayMicroUsdPerHour.toString(),
			carbonMicroUsdPerTonne: active.policy.weights.carbonMicroUsdPerTonne.toString(),
		},
		versions: versions.map((v) => ({ version: v.version, author: v.author, message: v.message, createdAt: v.createdAt.toISOString() })),
	};
}
