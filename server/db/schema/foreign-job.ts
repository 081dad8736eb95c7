import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { ForeignJob, NotAdopted } from "../../domain/foreign-job.ts";
import { instant, json } from "./columns.ts";
import { site } from "./site.ts";

/** Jobs waiting or running in a site's own queue that Spillway did not submit. Ended ones are removed. */
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
