import { desc, eq } from "drizzle-orm";
import { policy, policyVersion } from "#server/db/schema/policy.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import type { FoundEntity } from "#server/domain/search.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { pickMatches, type SearchFor } from "./match.ts";

/** Versions that are searched by number and message; older ones are on the Policies screen. */
const VERSIONS_READ = 200;

/** Versions of the active policy by number or message. */
export async function findPolicies(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]> {
	const rows = await ctx.db
		.select({ version: policyVersion.version, message: policyVersion.message, active: policy.activeVersion })
		.from(policyVersion)
		.innerJoin(policy, eq(policy.name, policyVersion.name))
		.where(eq(policyVersion.name, DEFAULT_POLICY))
		.orderBy(desc(policyVersion.version))
		.limit(VERSIONS_READ);
	return pickMatches(rows, (v) => `Policy version ${v.version} ${v.message}`, search).map(({ version, message, active }) => ({
		...{ kind: "policy", id: `${DEFAULT_POLICY}/${version}`, name: `Policy version ${version}`, detail: message },
		...{ href: `/policies?version=${version}`, live: version === active, actions: [] },
	}));
}

/** Rules of the active policy by id or condition. */
export async function findRules(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]> {
	const rules = (await rulesAndBudgets(ctx))?.rules ?? [];
	return pickMatches(rules, (r) => `${r.id} ${r.when ?? ""}`, search).map(({ id, when }) => ({
		...{ kind: "rule", id, name: id, detail: when ?? "all jobs", href: `/policies#rule-${id}`, live: true, actions: [] },
	}));
}

export async function findBudgets(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]> {
	const budgets = (await rulesAndBudgets(ctx))?.budgets ?? [];
	return pickMatches(budgets, (b) => `${b.id} ${b.scope}`, search).map(({ id, scope, period }) => ({
		...{ kind: "budget", id, name: id, href: `/budgets?budget=${encodeURIComponent(id)}`, live: true, actions: [] },
		detail: scope === "true" ? `all jobs, per ${period}` : `${scope}, per ${period}`,
	}));
}

async function rulesAndBudgets(ctx: ServiceContext) {
	const active = await activePolicy(ctx.db).catch((error: unknown) => {
		if (error instanceof SpillwayError && error.code === "unavailable") return null;
		throw error;
	});
	return active?.policy ?? null;
}
