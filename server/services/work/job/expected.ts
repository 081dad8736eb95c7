import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import type { JobState } from "#server/domain/states.ts";

/** Expectations of the decision that placed a job's live attempt. The single source of totals and progress on every screen. */
export interface Expected {
	/** Sum over all attempts: the cost of earlier ones, plus the expected cost of this one. */
	totalMicroUsd: string;
	/** Run time of the command over all attempts, ms. */
	workMs: number;
	/** When the live attempt's command began, and the run time already done by then, ms. */
	beganAt: string | null;
	beforeMs: number;
}

interface Row extends Record<string, unknown> {
	job_id: string;
	total: string;
	run_ms: string;
	began_at: string | null;
	before_ms: string;
	earlier: string;
}

/** For jobs with a live attempt. Cost: for each of them a decision, its attempts and its checkpoints, by index. */
export async function expectedOfJobs(
	db: DbOrTx,
	rows: readonly { id: string; state: JobState; attempts: number }[],
): Promise<Map<string, Expected>> {
	const placed = rows.filter(({ state, attempts }) => (state === "admitted" || state === "running") && attempts > 0);
	if (placed.length === 0) return new Map();
	const ids = sql.join(
		placed.map(({ id }) => sql`${id}`),
		sql`, `,
	);
	const found = await db.execute<Row>(sql`
		select job.id as job_id, chosen.c->>'totalMicroUsd' as total,
			((chosen.c->'finish'->>'p50Ms')::numeric - (chosen.c->'start'->>'p50Ms')::numeric)::text as run_ms,
			attempt.started_at as began_at,
			(select coalesce(max(completed_ms), 0)::text from checkpoint where job_id = job.id and attempt_id <> attempt.id) as before_ms,
			(select coalesce(sum(cost_micro_usd), 0)::text from attempt as other where other.job_id = job.id and other.id <> attempt.id) as earlier
		from job
		join attempt on attempt.job_id = job.id and attempt.number = job.attempts and attempt.finished_at is null
		join lateral (select explanation from decision where decision.job_id = job.id and attempt_number = job.attempts
			order by decided_at desc limit 1) as chosen_by on true
		join lateral (select c from jsonb_array_elements(chosen_by.explanation->'candidates') as c where c->>'outcome' = 'chosen' limit 1) as chosen on true
		where job.id in (${ids})`);
	return new Map(found.map((row) => [row.job_id, toExpected(row)]));
}

function toExpected({ total, run_ms, began_at, before_ms, earlier }: Row): Expected {
	const beforeMs = Number(before_ms);
	return {
		totalMicroUsd: (BigInt(earlier) + BigInt(total)).toString(),
		workMs: beforeMs + Number(run_ms),
		beganAt: began_at === null ? null : new Date(began_at).toISOString(),
		beforeMs,
	};
}
