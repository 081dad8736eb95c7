import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { clusterNode } from "#server/db/schema/cluster-node.ts";
import type { ClusterNode } from "#server/domain/cluster-node.ts";

/** Last written nodes of a site, so that only changes are written. Losing it costs one read of the table. */
export interface NodeMemory {
	nodes: readonly ClusterNode[] | null;
	/** As text, by name. */
	written: Map<string, string> | null;
}

export function newNodeMemory(): NodeMemory {
	return { nodes: null, written: null };
}

/**
 * Writes a site's nodes as reported by its driver; deletes nodes that no longer exist. Passing the same array as last time costs nothing,
 * another one a comparison in memory, and a change one statement for all new or changed nodes.
 */
export async function writeNodes(
	db: Db,
	{ siteId, nodes }: { siteId: string; nodes: readonly ClusterNode[] },
	memory: NodeMemory,
): Promise<void> {
	if (memory.nodes === nodes) return;
	memory.written ??= await readWritten(db, siteId);
	const before = memory.written;
	const now = new Map(nodes.map((node) => [node.name, textOf(node)]));
	const changed = nodes.filter(({ name }) => before.get(name) !== now.get(name));
	const gone = [...before.keys()].filter((name) => !now.has(name));
	if (changed.length + gone.length > 0) {
		await db.transaction(async (tx) => {
			if (gone.length > 0) await tx.delete(clusterNode).where(and(eq(clusterNode.siteId, siteId), inArray(clusterNode.name, gone)));
			if (changed.length > 0) {
				await tx.execute(sql`
					insert into cluster_node (site_id, name, pool_id, state, reason, gpus, gpus_used)
					select ${siteId}, name, "poolId", state, reason, gpus, "gpusUsed"
					from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb)
						as n(name text, "poolId" text, state text, reason text, gpus integer, "gpusUsed" integer)
					on conflict (site_id, name) do update set pool_id = excluded.pool_id, state = excluded.state,
						reason = excluded.reason, gpus = excluded.gpus, gpus_used = excluded.gpus_used`);
			}
			await notify(tx, { changes: [{ topic: "site", id: siteId, team: null }] });
		});
	}
	memory.written = now;
	memory.nodes = nodes;
}

async function readWritten(db: Db, siteId: string): Promise<Map<string, string>> {
	const rows = await db.select().from(clusterNode).where(eq(clusterNode.siteId, siteId));
	return new Map(rows.map((row) => [row.name, textOf(row)]));
}

function textOf({ poolId, state, reason, gpus, gpusUsed }: ClusterNode): string {
	return JSON.stringify([poolId, state, reason, gpus, gpusUsed]);
}
