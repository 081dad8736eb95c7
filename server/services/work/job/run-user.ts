import { type SQL, sql } from "drizzle-orm";
import type { JobSpec } from "#server/domain/job.ts";
import { type Actor, actorName } from "#server/services/core/context.ts";

/**
 * The user of a `job` row, in SQL: its submitter, or for a job adopted from a cluster its user there, as `site:SITE:NAME`; null where the
 * system submitted it for no one. Cost: nothing, except one index lookup for a job submitted by the system.
 */
export const RUN_USER: SQL<string | null> = sql<string | null>`case when job.submitted_by not like 'system:%' then job.submitted_by else (
	select concat('site:', taken.site_id, ':', taken.facts->>'user') from adoption taken
	where taken.job_id = job.id and taken.facts->>'user' is not null) end`;

/** The same for the person making the request; null for the system. */
export function runUserOf(actor: Actor): string | null {
	return actor.kind === "person" ? actorName(actor) : null;
}

/** The spec as the core sees it. */
export function withUser(spec: JobSpec, user: string | null): JobSpec {
	return user === null ? spec : { ...spec, user };
}
