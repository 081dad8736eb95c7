import { boolean, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { Finding, ScriptKind } from "../../domain/imports/types.ts";
import { instant, json } from "./columns.ts";

/** What was carried over, and what was not, when jobs were read from a batch script or a manifest: one row for all jobs of it. */
export const jobImport = pgTable("job_import", {
	id: text().primaryKey(),
	kind: text().$type<ScriptKind>().notNull(),
	/** What a person has to know of first, then by line; at most KEPT_FINDINGS_MAX of them (domain/imports/record.ts). */
	findings: json<Finding[]>().notNull(),
	/** Findings that are not kept. */
	leftOut: integer().notNull(),
	/** The jobs are as the script was read; false: somebody changed them before they were submitted. */
	isAsRead: boolean().notNull(),
	readAt: instant().notNull(),
});
