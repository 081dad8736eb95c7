import { pgTable, text } from "drizzle-orm/pg-core";
import { json } from "./columns.ts";

/** Facts about this installation: `deployment_id`, `demo_history` ({fromMs, toMs, seed}), `home_zone`, `agents_heard`, `schema.compatible_since`. */
export const setting = pgTable("setting", {
	key: text().primaryKey(),
	value: json<unknown>().notNull(),
});
