import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { BacktestEstimate, BacktestResult } from "../../domain/backtest.ts";
import { instant, json } from "./columns.ts";

/** A background job that replays recorded jobs under a draft and the published version. */
export const backtest = pgTable(
	"backtest",
	{
		id: text().primaryKey(),
		policyName: text().notNull(),
		baseVersion: integer().notNull(),
		source: text().notNull(),
		fromTime: instant().notNull(),
		toTime: instant().notNull(),
		state: text({ enum: ["queued", "running", "done", "failed", "cancelled"] })
			.notNull()
			.default("queued"),
		progressPermille: integer().notNull().default(0),
		/** From a sample, while the whole period is replayed. */
		estimate: json<BacktestEstimate | null>(),
		result: json<BacktestResult | null>(),
		error: text(),
		createdAt: instant().notNull(),
		createdBy: text().notNull(),
		/** Started by an editor after an edit; the oldest ones are deleted. */
		automatic: boolean().notNull().default(false),
		startedAt: instant(),
		finishedAt: instant(),
		/** Heartbeat of the worker; after a long silence the backtest is restarted. */
		heartbeatAt: instant(),
	},
	(t) => [
		index("backtest_pending").on(t.createdAt).where(sql`${t.state} in ('queued', 'running')`),
		index("backtest_created").on(t.policyName, t.createdAt.desc().nullsFirst()),
	],
);
