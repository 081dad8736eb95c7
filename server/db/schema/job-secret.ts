import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { SecretSource } from "../../domain/job-secret.ts";
import { team } from "./account.ts";
import { instant, json } from "./columns.ts";

/** A secret available to jobs of a team. The server sends its value only to attempts. */
export const jobSecret = pgTable(
	"job_secret",
	{
		team: text()
			.notNull()
			.references(() => team.name, { onDelete: "cascade" }),
		name: text().notNull(),
		source: json<SecretSource>().notNull(),
		/** For `stored`: sealed under one of the credential keys, for `secret:<team>/<name>`. */
		sealed: text(),
		/** Incremented by each change. */
		version: integer().notNull().default(1),
		createdAt: instant().notNull(),
		changedAt: instant().notNull(),
		changedBy: text().notNull(),
		lastUsedAt: instant(),
	},
	(t) => [primaryKey({ columns: [t.team, t.name] })],
);
