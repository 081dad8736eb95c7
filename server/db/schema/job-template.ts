import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { job } from "./job.ts";
import { template } from "./template.ts";

/** The template that a single job was run from, and its version. Kept with the job; pipelines store theirs in their own row. */
export const jobTemplate = pgTable("job_template", {
	jobId: text()
		.primaryKey()
		.references(() => job.id),
	templateId: text()
		.notNull()
		.references(() => template.id),
	version: integer().notNull(),
});
