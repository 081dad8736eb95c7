import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { instant, json } from "./columns.ts";

/** A draft that decides alongside the published policy on live traffic, and only records. One at a time per policy. */
export const shadow = pgTable(
	"shadow",
	{
		id: text().primaryKey(),
		policyName: text().notNull(),
		baseVersion: integer().notNull(),
		source: text().notNull(),
		startedAt: instant().notNull(),
		startedBy: text().notNull(),
		stoppedAt: instant(),
	},
	(t) => [uniqueIndex("shadow_running").on(t.policyName).where(sql`${t.stoppedAt} is null`)],
);

/** Both policies' decisions for one job when the published policy placed it, or the latest ones while it waited. */
export const shadowDecision = pgTable(
	"shadow_decision",
	{
		shadowId: text()
			.notNull()
			.references(() => shadow.id),
		jobId: text().notNull(),
		decidedAt: instant().notNull(),
		agrees: boolean().notNull(),
		published: json<ShadowChoice>().notNull(),
		draft: json<ShadowChoice>().notNull(),
	},
	(t) => [primaryKey({ columns: [t.shadowId, t.jobId] }), index("shadow_decision_time").on(t.shadowId, t.decidedAt)],
);

/** `costMicroUsd` is the estimate of the whole run there. */
export interface ShadowChoice {
	outcome: "waits" | "home" | "cloud" | "held" | "denied";
	place: string | null;
	costMicroUsd: string;
	sentence: string;
}
