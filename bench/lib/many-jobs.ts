import type { Connection } from "#server/db/client.ts";

/** One in a hundred is queued, the rest ended within a year; names, teams and classes as in a company. */
export async function insertJobs(connection: Connection, count: number): Promise<void> {
	const pending = Math.floor(count / 100);
	await connection.sql`
		insert into job (id, name, team, project, class, priority, gpus, spec, state, reason, placement, attempts, submitted_by, submitted_at, pending_since, started_at, finished_at, cost_micro_usd)
		select 'job_' || lpad(i::text, 26, '0'), (array['fraud','clip','demand','esm','rerank'])[1 + i % 5] || '-v' || i % 97,
			(array['risk','vision','forecasting','genomics','research'])[1 + i % 5], 'p' || i % 11,
			(array['burst','experimental','baseline','batch_inference'])[1 + i % 4]::workload_class, 50, 1 + i % 4,
			jsonb_build_object('duration', jsonb_build_object('estimateMs', 3600000, 'maxMs', null), 'command', jsonb_build_array('python', 'train.py'), 'labels', '{}'::jsonb),
			case when i <= ${pending} then 'queued' when i % 13 = 0 then 'failed' when i % 17 = 0 then 'cancelled' else 'succeeded' end::job_state,
			'{"code":"completed","facts":{}}', case when i % 3 = 0 then '{"siteId":"aws","provider":"aws","capacityType":"spot"}'::jsonb else '{"siteId":"local","provider":"local","capacityType":"owned"}'::jsonb end,
			1, 'account:bench', now() - i * interval '5 minutes', now() - i * interval '5 minutes', now() - i * interval '4 minutes',
			case when i <= ${pending} then null else now() - i * interval '3 minutes' end, i * 1000
		from generate_series(1, ${count}) as i`;
	await connection.sql`analyze job`;
}
