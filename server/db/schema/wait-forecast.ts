import { sql } from "drizzle-orm";
import { bigint, bigserial, boolean, check, index, integer, pgTable, smallint, text, uniqueIndex } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** Outcome of a forecast: the job started at home, or the outcome is unknown because it left or ended. */
export const FORECAST_OUTCOMES = ["started", "censored"] as const;

/** Forecasts of the wait at home shown for pending jobs: the first one, and the first of each shorter horizon. Scored once. */
export const waitForecast = pgTable(
	"wait_forecast",
	{
		id: bigserial({ mode: "number" }).primaryKey(),
		jobId: text().notNull(),
		/** Number of the awaited attempt. */
		attemptNo: integer().notNull(),
		/** Index in scheduling/forecast/calibrate HORIZONS_MS. */
		horizon: smallint().notNull(),
		/** Whether it is the first forecast of the job while waiting for this attempt. */
		first: boolean().notNull(),
		at: instant().notNull(),
		/** Waits from `at`: as replayed, and as shown after calibration. */
		replayP50Ms: bigint("replay_p50_ms", { mode: "number" }).notNull(),
		replayP90Ms: bigint("replay_p90_ms", { mode: "number" }).notNull(),
		forecastP50Ms: bigint("told_p50_ms", { mode: "number" }).notNull(),
		forecastP90Ms: bigint("told_p90_ms", { mode: "number" }).notNull(),
		/** When the wait ended; null while waiting. */
		endedAt: instant(),
		outcome: text({ enum: FORECAST_OUTCOMES }),
	},
	(t) => [
		uniqueIndex("wait_forecast_once").on(t.jobId, t.attemptNo, t.horizon),
		index("wait_forecast_newest").on(t.horizon, t.at.desc().nullsFirst()),
		index("wait_forecast_open").on(t.jobId).where(sql`${t.endedAt} is null`),
		check("wait_forecast_outcome", sql`(${t.endedAt} is null) = (${t.outcome} is null)`),
		check("wait_forecast_order", sql`${t.replayP50Ms} <= ${t.replayP90Ms} and ${t.forecastP50Ms} <= ${t.forecastP90Ms}`),
	],
);
