import { bigserial, index, pgTable, text } from "drizzle-orm/pg-core";
import { instant, json } from "./columns.ts";

/** Who did what and when; insert-only, written in the transaction of the change. */
export const audit = pgTable(
	"audit",
	{
		id: bigserial({ mode: "number" }).primaryKey(),
		at: instant().notNull(),
		/** `account:<id>`, `token:<id>` or `system:<part>`. */
		actor: text().notNull(),
		action: text().notNull(),
		subject: text().notNull(),
		before: json<unknown>(),
		after: json<unknown>(),
		requestId: text(),
		/** How the person signed in, and from which address; null for the system, and before this was recorded. */
		via: text({ enum: ["session", "token"] }),
		source: text(),
	},
	(t) => [index("audit_subject").on(t.subject, t.at.desc().nullsFirst()), index("audit_at").on(t.at)],
);
