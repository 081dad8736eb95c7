import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { artifactUri } from "#server/domain/output.ts";
import type { PipelineSpec } from "#server/domain/pipeline/pipeline.ts";
import { GIB } from "#server/kernel/units.ts";

/** The size of a step's output in the pipeline's last run, by `step.output`; the sum if there are several runs. */
export type PastOutputs = ReadonlyMap<string, { uri: string; sizeGiB: number }>;

/** Cost: one indexed read of the last pipeline of this name; none for pipelines without results between steps. */
export async function readPastOutputs(db: DbOrTx, spec: Pick<PipelineSpec, "name" | "team" | "steps">): Promise<PastOutputs> {
	if (spec.steps.every(({ inputs }) => inputs.length === 0)) return new Map();
	const rows = await db.execute<{ step: string; output: string; id: string; bytes: string }>(sql`
		with last as (
			select id, graph from pipeline where team = ${spec.team} and name = ${spec.name} and state = 'succeeded'
			order by submitted_at desc limit 1)
		select last.graph -> r.step ->> 'name' as step, a.name as output, min(a.id) as id, sum(a.bytes)::text as bytes
		from last join pipeline_run r on r.pipeline_id = last.id join artifact a on a.job_id = r.job_id and a.run_id is null and a.deleted_at is null
		group by 1, 2`);
	return new Map(
		rows.map(({ step, output, id, bytes }) => [`${step}.${output}`, { uri: artifactUri(id), sizeGiB: Math.max(Number(bytes), 1) / GIB }]),
	);
}
