import { and, desc, eq, inArray, isNull, ne, or, sql } from "drizzle-orm";
import { clusterNode } from "#server/db/schema/cluster-node.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { site } from "#server/db/schema/site.ts";
import type { FoundEntity } from "#server/domain/search.ts";
import { allows, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { containsWords, pickMatches, type SearchFor } from "./match.ts";

export async function findSites(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]> {
	const rows = await ctx.db.select({ id: site.id, name: site.name, provider: site.provider, enabled: site.enabled }).from(site);
	const mayManage = allows(ctx, "site:manage", null);
	return pickMatches(rows, (s) => `${s.name} ${s.id} ${s.provider}`, search).map(({ id, name, provider, enabled }) => ({
		...{ kind: "site", id, name, detail: enabled ? provider : `${provider}, disabled`, live: enabled, actions: [] },
		href: mayManage ? `/settings/sites/${id}` : "/sites",
	}));
}

/** Nodes of owned sites, and cloud instances that may still cost money. */
export async function findMachines(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]> {
	const [nodes, instances] = await Promise.all([findNodes(ctx, search), findInstances(ctx, search)]);
	return [...instances, ...nodes].slice(0, search.limit);
}

async function findNodes(ctx: ServiceContext, { words, limit }: SearchFor): Promise<FoundEntity[]> {
	const rows = await ctx.db
		.select({ name: clusterNode.name, siteId: clusterNode.siteId, state: clusterNode.state, siteName: site.name })
		.from(clusterNode)
		.innerJoin(site, eq(site.id, clusterNode.siteId))
		.where(containsWords(sql`${clusterNode.name} || ' ' || ${site.name}`, words))
		.orderBy(clusterNode.name)
		.limit(limit);
	return rows.map(({ name, siteId, state, siteName }) => ({
		...{ kind: "machine", id: `${siteId}/${name}`, name, detail: `node of ${siteName}, ${state}`, live: state === "ready", actions: [] },
		href: `/sites#nodes-${siteId}`,
	}));
}

async function findInstances(ctx: ServiceContext, { words, limit }: SearchFor): Promise<FoundEntity[]> {
	const scope = teamScope(ctx, "instance:read");
	const text = sql`concat_ws(' ', ${instance.providerInstanceId}, ${instance.instanceType}, ${instance.region}, ${instance.id}, ${job.name})`;
	const rows = await ctx.db
		.select({
			...{ id: instance.id, providerInstanceId: instance.providerInstanceId, instanceType: instance.instanceType },
			...{ region: instance.region, state: instance.state, jobName: job.name },
		})
		.from(instance)
		.leftJoin(job, eq(job.id, instance.jobId))
		.where(
			and(
				ne(instance.state, "terminated"),
				scope === null ? undefined : or(isNull(instance.jobId), inArray(job.team, [...scope, ""])),
				or(containsWords(text, words)),
			),
		)
		.orderBy(desc(instance.intendedAt))
		.limit(limit);
	return rows.map((row) => ({
		...{ kind: "machine", id: row.id, name: row.providerInstanceId ?? row.id, href: "/sites#machines", live: true, actions: [] },
		detail: `${row.instanceType} in ${row.region}, ${row.state}, ${row.jobName ?? "kept warm"}`,
	}));
}
