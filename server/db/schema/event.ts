import { bigserial, index, pgTable, text } from "drizzle-orm/pg-core";
import type { Reason } from "../../domain/reasons.ts";
import { instant, json } from "./columns.ts";

/** Recent events, one line each on the Overview. Insert-only. */
export const EVENT_KINDS = [
	"job_submitted",
	"job_placed",
	"job_held",
	"job_started",
	"job_interrupted",
	"job_succeeded",
	"job_failed",
	"job_cancelled",
	"instance_terminated",
	"orphan_terminated",
	"sweep_done",
	"site_unhealthy",
	"site_healthy",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const event = pgTable(
	"event",
	{
		id: bigserial({ mode: "number" }).primaryKey(),
		at: instant().notNull(),
		kind: text({ enum: EVENT_KINDS }).notNull(),
		jobId: text(),
		instanceId: text(),
		siteId: text(),
		/** The affected team; null: all. */
		team: text(),
		reason: json<Reason | null>(),
	},
	(t) => [index("event_at").on(t.at.desc().nullsFirst()), index("event_job").on(t.jobId)],
);
