import { sql } from "drizzle-orm";
import { index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";
import { job } from "./job.ts";

/** Sampled jobs with steps to export. A row is deleted after its last step is sent, or a day after the job's end. */
export const jobTrace = pgTable(
	"job_trace",
	{
		jobId: text()
			.primaryKey()
			.references(() => job.id),
		/** W3C Trace Context of the submission, hex. */
		traceId: text().notNull(),
		parentSpanId: text(),
		traceState: text(),
		receivedAt: instant().notNull(),
		/** Keys of the steps that the receiver has accepted. */
		sent: text().array().notNull().default(sql`'{}'::text[]`),
		/** When its steps were last compared with those sent. */
		checkedAt: instant(),
	},
	(t) => [index("job_trace_checked").on(t.checkedAt.asc().nullsFirst())],
);
