import { sql } from "drizzle-orm";
import { check, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { NodeState } from "../../domain/cluster-node.ts";
import { site } from "./site.ts";

/** The nodes of an owned site by name, as its driver saw them last. Only what changed is written again. */
export const clusterNode = pgTable(
	"cluster_node",
	{
		siteId: text()
			.notNull()
			.references(() => site.id),
		name: text().notNull(),
		/** Null: no pool that Spillway uses has it. */
		poolId: text(),
		state: text().$type<NodeState>().notNull(),
		/** The cluster's own words for it; null where there is nothing to say. */
		reason: text(),
		gpus: integer().notNull(),
		/** By anybody's jobs. */
		gpusUsed: integer().notNull(),
	},
	(t) => [
		primaryKey({ columns: [t.siteId, t.name] }),
		check("cluster_node_state", sql`${t.state} in ('ready','closed','down')`),
		check("cluster_node_gpus", sql`${t.gpus} >= 0 and ${t.gpusUsed} >= 0`),
	],
);
