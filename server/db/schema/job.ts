import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, smallint, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Placement } from "../../domain/capacity.ts";
import type { TimeRange } from "../../domain/decision.ts";
import type { JobSpec } from "../../domain/job.ts";
import type { Reason } from "../../domain/reasons.ts";
import { bigInt, instant, json, microUsd } from "./columns.ts";
import { jobState, workloadClass } from "./enums.ts";
import { jobImport } from "./job-import.ts";

export const job = pgTable(
	"job",
	{
		id: text().primaryKey(),
		name: text().notNull(),
		team: text().notNull(),
		project: text().notNull().default(""),
		class: workloadClass().notNull(),
		priority: smallint().notNull(),
		/** All GPUs of the job, over its nodes. */
		gpus: integer().notNull(),
		spec: json<JobSpec>().notNull(),
		state: jobState().notNull().default("queued"),
		reason: json<Reason>().notNull(),
		/** Latest forecast of the home start, while pending. */
		forecast: json<TimeRange | null>(),
		/** Placement of the latest attempt. */
		placement: json<Placement | null>(),
		/** Number of attempts so far, and number of the latest. */
		attempts: integer().notNull().default(0),
		/** Attempts up to this number no longer count as attempts without progress, because a person released the job. */
		resumedAfterAttempt: integer().notNull().default(0),
		submittedBy: text().notNull(),
		submittedAt: instant().notNull(),
		/** When it was last queued. */
		pendingSince: instant().notNull(),
		startedAt: instant(),
		finishedAt: instant(),
		deadlineAt: instant(),
		/** When a person cancelled it; the control loop stops it. */
		cancelRequestedAt: instant(),
		cancelRequestedBy: text(),
		/** Run time saved in a committed checkpoint, ms. */
		completedMs: bigInt().notNull().default(sql`0`),
		approvedMicroUsd: microUsd(),
		/** Sum of its charges, kept in the transaction that writes them. */
		costMicroUsd: microUsd().notNull().default(sql`0`),
		emissionsMilligrams: bigInt().notNull().default(sql`0`),
		/** The script or manifest it was imported from; null if none. */
		importId: text().references(() => jobImport.id),
		/** True for simulated history. */
		synthetic: boolean().notNull().default(false),
	},
	(t) => [
		index("job_live").on(t.state, t.pendingSince).where(sql`${t.state} in ('held','queued','admitted','running')`),
		index("job_submitted").on(t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		index("job_state_submitted").on(t.state, t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		index("job_team_submitted").on(t.team, t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		index("job_class_submitted").on(t.class, t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		index("job_site_submitted").on(sql`(${t.placement}->>'siteId')`, t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		index("job_cloud_submitted")
			.on(t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst())
			.where(sql`${t.placement}->>'capacityType' <> 'owned'`),
		/** Searches by part of a name. */
		index("job_name_trgm").using("gin", sql`${t.name} gin_trgm_ops`),
		/** Jobs that use a result as data. */
		index("job_data").using("gin", sql`(${t.spec}->'data') jsonb_path_ops`).where(sql`${t.spec}->'data' <> '[]'::jsonb`),
		index("job_finished").on(t.finishedAt).where(sql`${t.finishedAt} is not null`),
		uniqueIndex("job_id_state").on(t.id, t.state),
		check("job_finished_iff_final", sql`(${t.state} in ('succeeded','failed','cancelled')) = (${t.finishedAt} is not null)`),
		check("job_gpus_positive", sql`${t.gpus} > 0`),
	],
);
