import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import type { GraphStep, RunFacts } from "#server/domain/pipeline/advance.ts";
import { GIB } from "#server/kernel/units.ts";
import { readsReports } from "#server/policy/step-condition.ts";

/**
 * Last metrics and results of the runs that conditions of the graph read, by index. Cost: nothing without such a condition; otherwise one
 * range scan over the points of these runs.
 */
export async function readFacts(tx: Tx, pipelineId: string, graph: readonly GraphStep[]): Promise<Map<number, RunFacts>> {
	const steps = [...new Set(graph.flatMap(({ when, needs }) => (readsReports(when) ? needs : [])))];
	if (steps.length === 0) return new Map();
	const rows = await tx.execute<{ index: number; metrics: RunFacts["metrics"] | null; bytes: Record<string, string> | null }>(sql`
		select r.index, m.metrics, a.bytes from pipeline_run r
		left join lateral (
			select json_object_agg(key, last) as metrics from (
				select key, (array_agg(value order by step desc, at_ms desc))[1] as last from metric_point
				where value not in ('NaN', 'Infinity', '-Infinity')
					and run_id in (select r.job_id union all select t.id from tracking_run t where t.job_id = r.job_id)
				group by key) k) m on true
		left join lateral (
			select json_object_agg(name, bytes::text) as bytes from (
				select distinct on (name) name, bytes from artifact
				where job_id = r.job_id and run_id is null and deleted_at is null order by name, created_at desc) n) a on true
		where r.pipeline_id = ${pipelineId} and r.job_id is not null and r.step = any(${sql.param(steps)}::integer[])`);
	return new Map(
		rows.map(({ index, metrics, bytes }) => {
			const results = Object.entries(bytes ?? {}).map(([name, size]) => [name, Number(size) / GIB] as const);
			return [index, { metrics: metrics ?? {}, results: Object.fromEntries(results) }];
		}),
	);
}
