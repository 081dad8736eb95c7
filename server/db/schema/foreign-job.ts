import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { ForeignJob, NotAdopted } from "../../domain/foreign-job.ts";
import { instant, json } from "./columns.ts";
import { site } from "./site.ts";

/** What waits and runs in a site's own queue and was not submitted by Spillway. What is over there goes here too. */
export const foreignJob = pgTable(
	"foreign_job",
	{
		siteId: text()
			.notNull()
			.references(() => site.id),
		id: text().notNull(),
		facts: json<ForeignJob>().notNull(),
		firstSeenAt: instant().notNull(),
		changedAt: instant().notNull(),
		notAdopted: json<NotAdopted | null>(),
	},
	(t) => [primaryKey({ columns: [t.siteId, t.id] })],
);
