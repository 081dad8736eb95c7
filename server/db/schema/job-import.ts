import { boolean, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { Finding, ScriptKind } from "../../domain/imports/types.ts";
import { instant, json } from "./columns.ts";

/** Findings of importing jobs from a batch script or manifest: one row for all jobs of the import. */
export const jobImport = pgTable("job_import", {
	id: text().primaryKey(),
	kind: text().$type<ScriptKind>().notNull(),
	/** Most important first, then by line; at most KEPT_FINDINGS_MAX (domain/imports/record.ts). */
	findings: json<Finding[]>().notNull(),
	/** Number of findings dropped. */
	leftOut: integer().notNull(),
	/** Whether the jobs are unchanged since the import; false: edited before submission. */
	isAsRead: boolean().notNull(),
	readAt: instant().notNull(),
});
