import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { artifact } from "./artifact.ts";
import { instant } from "./columns.ts";

/** The delivery of a result to the target in its job file (`to`). */
export const resultDelivery = pgTable(
	"result_delivery",
	{
		id: text().primaryKey(),
		artifactId: text()
			.notNull()
			.references(() => artifact.id),
		/** As in the job file: home:/models/fraud, s3://bucket/path. */
		target: text().notNull(),
		state: text().$type<"pending" | "delivered" | "failed">().notNull(),
		createdAt: instant().notNull(),
		/** Failures since it was created or manually retried, and the latest one. */
		failures: integer().notNull().default(0),
		error: text(),
		/** The earliest next attempt. */
		nextAt: instant().notNull(),
		deliveredAt: instant(),
	},
	(t) => [uniqueIndex("result_delivery_target").on(t.artifactId, t.target), index("result_delivery_due").on(t.state, t.nextAt)],
);
