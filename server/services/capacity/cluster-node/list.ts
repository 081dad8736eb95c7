import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { listNodesInput } from "#server/contract/inputs/capacity.ts";
import { clusterNode } from "#server/db/schema/cluster-node.ts";
import { site } from "#server/db/schema/site.ts";
import type { ClusterNode, NodeState } from "#server/domain/cluster-node.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

export type ListNodesInput = z.input<typeof listNodesInput>;

export interface NodePage {
	items: ClusterNode[];
	nextCursor: string | null;
	/** Totals over all nodes of the site, regardless of the filter. */
	counts: Record<NodeState, number>;
}

/** Nodes that may need attention come first. */
const RANK = sql<number>`case ${clusterNode.state} when 'down' then 0 when 'closed' then 1 else 2 end`;
const place = z.tuple([z.number().int(), z.string()]);

/**
 * The nodes of an owned site by name: nodes that are down first, then nodes that take no jobs, then the others. Paged by keyset; a page
 * sorts the site's nodes (a few ms for 5,000).
 * @throws SpillwayError `not_found`, `forbidden`, `invalid_input` for an invalid cursor.
 */
export async function listNodes(ctx: ServiceContext, siteId: string, raw: ListNodesInput): Promise<NodePage> {
	authorize(ctx, "capacity:read", null);
	const { state, cursor, limit } = listNodesInput.parse(raw);
	const [found] = await ctx.db.select({ id: site.id }).from(site).where(eq(site.id, siteId));
	if (!found) throw new SpillwayError("not_found", `There is no site ${siteId}.`, { fix: "List sites with: spillway sites" });
	const after = cursor === undefined ? undefined : afterOf(cursor);
	const [rows, counted] = await Promise.all([
		ctx.db
			.select({ node: clusterNode, rank: RANK })
			.from(clusterNode)
			.where(and(eq(clusterNode.siteId, siteId), state.length > 0 ? inArray(clusterNode.state, state) : undefined, after))
			.orderBy(RANK, clusterNode.name)
			.limit(limit + 1),
		ctx.db
			.select({ state: clusterNode.state, count: sql<number>`count(*)::int` })
			.from(clusterNode)
			.where(eq(clusterNode.siteId, siteId))
			.groupBy(clusterNode.state),
	]);
	const page = rows.slice(0, limit);
	const last = page.at(-1);
	return {
		items: page.map(({ node: { siteId: _, ...node } }) => node),
		nextCursor: rows.length > limit && last ? cursorOf(last.rank, last.node.name) : null,
		counts: { ready: 0, closed: 0, down: 0, ...Object.fromEntries(counted.map((c) => [c.state, c.count])) },
	};
}

function cursorOf(rank: number, name: string): string {
	return Buffer.from(JSON.stringify([rank, name])).toString("base64url");
}

function afterOf(cursor: string): SQL {
	try {
		const [rank, name] = place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
		return sql`(${RANK}, ${clusterNode.name}) > (${rank}, ${name})`;
	} catch {
		throw new SpillwayError("invalid_input", "Invalid cursor.", {
			fields: [{ path: "cursor", message: "use nextCursor of the previous page" }],
		});
	}
}
