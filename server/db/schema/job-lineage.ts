import { index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";
import { job } from "./job.ts";

/** Which OpenLineage events of a job were accepted. A row is deleted two days after the last event. */
export const jobLineage = pgTable(
	"job_lineage",
	{
		jobId: text()
			.primaryKey()
			.references(() => job.id),
		startSentAt: instant().notNull(),
		endSentAt: instant(),
	},
	(t) => [index("job_lineage_end").on(t.endSentAt)],
);
