import { sql } from "drizzle-orm";
import { check, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { NodeState } from "../../domain/cluster-node.ts";
import { site } from "./site.ts";

/** The nodes of an owned site by name, as last reported by its driver. Only changes are written. */
export const clusterNode = pgTable(
	"cluster_node",
	{
		siteId: text()
			.notNull()
			.references(() => site.id),
		name: text().notNull(),
		/** Null: not in a pool that Spillway uses. */
		poolId: text(),
		state: text().$type<NodeState>().notNull(),
		/** The cluster's own description; null when there is none. */
		reason: text(),
		gpus: integer().notNull(),
		/** In use by any job, ours or not. */
		gpusUsed: integer().notNull(),
	},
	(t) => [
		primaryKey({ columns: [t.siteId, t.name] }),
		check("cluster_node_state", sql`${t.state} in ('ready','closed','down')`),
		check("cluster_node_gpus", sql`${t.gpus} >= 0 and ${t.gpusUsed} >= 0`),
	],
);
