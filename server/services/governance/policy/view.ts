import { and, desc, eq } from "drizzle-orm";
import { policyPublication, policyVersion } from "#server/db/schema/policy.ts";
import type { PolicyProblem } from "#server/domain/policy.ts";
import type { PolicyManagedBy, PolicyOrigin } from "#server/domain/policy-version.ts";
import { describePolicy, describeRule } from "#server/policy/describe-rule.ts";
import type { Description } from "#server/policy/description.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { namesOf } from "#server/services/core/people.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { etagOf } from "#server/services/policy/entity-tag.ts";
import { fetchVersion, knownPointer } from "#server/services/policy/fetch-version.ts";
import { knownFacts } from "./known-facts.ts";

export interface PolicyView {
	name: string;
	version: number;
	/** Identifies this version and its text in If-Match. */
	etag: string;
	source: string;
	author: string;
	/** For people. */
	authorName: string;
	message: string;
	/** When it last took effect. */
	publishedAt: string;
	/** Whether it was published before, and rolled back to. */
	rolledBack: boolean;
	origin: PolicyOrigin | null;
	/** Whether it is kept in git: read-only in the browser. */
	managedBy: PolicyManagedBy | null;
	rules: Description[];
	/** Rules, budgets and weights as sentences, in the order of their groups. */
	sentences: Description[];
	budgets: { id: string; scope: string; period: string; capMicroUsd: string; atCap: string }[];
	weights: { delayMicroUsdPerHour: string; carbonMicroUsdPerTonne: string; pointsPerGpuHour: number };
	/** Warnings about the text, and errors that publishing it today would raise, given today's installation. */
	warnings: PolicyProblem[];
	versions: { version: number; author: string; authorName: string; message: string; createdAt: string }[];
}

/** The policy in force, as text and as sentences. */
export async function viewPolicy(ctx: ServiceContext, name: string): Promise<PolicyView> {
	authorize(ctx, "policy:read", null);
	const pointer = await knownPointer(ctx.db, name);
	const active = await activePolicy(ctx.db, name);
	const { origin } = await fetchVersion(ctx.db, name, active.version);
	const [last] = await ctx.db
		.select()
		.from(policyPublication)
		.where(and(eq(policyPublication.name, name), eq(policyPublication.version, active.version)))
		.orderBy(desc(policyPublication.publishedAt), desc(policyPublication.id))
		.limit(1);
	const { author, authorName, versions } = await authorsOf(ctx, name, active.author);
	return {
		...{ name, version: active.version, etag: etagOf(active), source: active.source, author, authorName, message: active.message },
		...{ publishedAt: (last?.publishedAt ?? active.createdAt).toISOString(), rolledBack: last?.kind === "rollback" },
		...{ origin: origin ?? null, managedBy: pointer.managedBy ?? null },
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
			pointsPerGpuHour: active.policy.weights.pointsPerGpuHour ?? 0,
		},
		warnings: parsePolicy(active.source, await knownFacts(ctx)).problems,
		versions,
	};
}

/** The latest versions with their authors, and the author of the one in force. */
async function authorsOf(ctx: ServiceContext, name: string, author: string) {
	const rows = await ctx.db.select().from(policyVersion).where(eq(policyVersion.name, name)).orderBy(desc(policyVersion.version)).limit(50);
	const nameOf = await namesOf(ctx.db, [author, ...rows.map((v) => v.author)]);
	const versions = rows.map((v) => ({
		...{ version: v.version, author: v.author, authorName: nameOf(v.author), message: v.message },
		createdAt: v.createdAt.toISOString(),
	}));
	return { author, authorName: nameOf(author), versions };
}
