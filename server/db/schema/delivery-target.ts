import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { artifact } from "./artifact.ts";
import { instant } from "./columns.ts";

/** A result on its way to the place that its job names (`to`). */
export const resultDelivery = pgTable(
	"result_delivery",
	{
		id: text().primaryKey(),
		artifactId: text()
			.notNull()
			.references(() => artifact.id),
		/** As the job file names it: home:/models/fraud, s3://bucket/path. */
		target: text().notNull(),
		state: text().$type<"pending" | "delivered" | "failed">().notNull(),
		createdAt: instant().notNull(),
		/** Failures since it was created or retried by a person, and the latest one. */
		failures: integer().notNull().default(0),
		error: text(),
		/** The earliest next try. */
		nextAt: instant().notNull(),
		deliveredAt: instant(),
	},
	(t) => [uniqueIndex("result_delivery_target").on(t.artifactId, t.target), index("result_delivery_due").on(t.state, t.nextAt)],
);
