import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { rolesWith } from "#server/services/core/authorize.ts";
import { isPermitted } from "#server/services/core/custom-role.ts";
import { recordJobNotice } from "./job.ts";

/** Jobs checked per call; the others follow in the next one. */
const JOBS_PER_CALL = 200;

interface Late extends Record<string, unknown> {
	id: string;
	finishMs: string;
}

/**
 * Records the jobs that are still running at the time by which nine of ten were forecast to have finished: the P90 of the decision that
 * placed the live attempt. Once for each job, and only where its submitter or a channel subscribes. Cost: the running jobs, and a decision
 * for each subscribed one.
 * @returns the number of jobs found
 */
export async function recordOverForecast(db: Db, nowMs: number): Promise<number> {
	const late = await db.execute<Late>(sql`
		select job.id, chosen.c->'finish'->>'p90Ms' as "finishMs"
		from job
		join attempt on attempt.job_id = job.id and attempt.number = job.attempts and attempt.state = 'running'
		join lateral (select explanation from decision where decision.job_id = job.id and attempt_number = job.attempts
			order by decided_at desc limit 1) as chosen_by on true
		join lateral (select c from jsonb_array_elements(chosen_by.explanation->'candidates') as c
			where c->>'outcome' = 'chosen' limit 1) as chosen on true
		where job.state = 'running' and (chosen.c->'finish'->>'p90Ms')::numeric < ${nowMs} and (
			exists (select 1 from account where account.id = substr(job.submitted_by, length('account:') + 1)
				and disabled_at is null and not service and ${isPermitted("job:read")}
				and (role::text = any(${sql.param(rolesWith("job:read"))}::text[]) or job.team = any(teams))
				and coalesce(job.spec->'notify' ? 'over_forecast', 'over_forecast' = any(notify_events))
				and not exists (select 1 from notice where account_id = account.id and about = 'work:' || job.id || ':over_forecast'))
			or exists (select 1 from channel where enabled and 'work_over_forecast' = any(topics) and (team is null or team = job.team)
				and (pipeline is null or pipeline = (
					select p.name from pipeline_job j join pipeline p on p.id = j.pipeline_id where j.job_id = job.id))
				and not exists (select 1 from delivery where channel_id = channel.id and about = 'work:' || job.id || ':over_forecast')))
		order by job.id limit ${JOBS_PER_CALL}`);
	for (const { id, finishMs } of late) {
		const at = new Date(Number(finishMs)).toISOString().slice(0, 16).replace("T", " ");
		const why = `Forecast to finish by ${at} UTC (P90), and still running.`;
		await db.transaction((tx) => recordJobNotice(tx, { jobId: id, event: "over_forecast", why, nowMs }));
	}
	return late.length;
}
