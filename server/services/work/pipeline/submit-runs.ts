import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { type pipeline, pipelineRun, type StoredStep } from "#server/db/schema/pipeline.ts";
import type { DataRef, JobSpec } from "#server/domain/job.ts";
import { artifactUri } from "#server/domain/output.ts";
import { GIB } from "#server/kernel/units.ts";
import { deadlineOfStep, type StepShare } from "#server/scheduling/pipeline/critical-path.ts";
import { insertRecords } from "#server/services/core/insert-records.ts";
import { insertJobs } from "../job/insert.ts";

type PipelineRow = typeof pipeline.$inferSelect;

/** Jobs per statement. */
const JOBS_PER_STATEMENT = 1_000;

/**
 * Creates a job for each of these runs, with the required outputs as data and a share of the time until the deadline. Cost: four statements
 * per thousand runs.
 */
export async function submitRuns(tx: Tx, row: PipelineRow, indexes: readonly number[], nowMs: number): Promise<void> {
	if (indexes.length === 0) return;
	const rows = await tx
		.select({ index: pipelineRun.index, step: pipelineRun.step, spec: pipelineRun.spec })
		.from(pipelineRun)
		.where(and(eq(pipelineRun.pipelineId, row.id), sql`${pipelineRun.index} = any(${sql.param([...indexes])}::integer[])`))
		.orderBy(pipelineRun.index);
	const outputs = await readOutputs(tx, row, new Set(rows.map(({ step }) => step)));
	for (let at = 0; at < rows.length; at += JOBS_PER_STATEMENT) {
		const part = rows.slice(at, at + JOBS_PER_STATEMENT);
		const submissions = part.map(({ spec, step }) => {
			const declared = row.graph[step];
			return {
				spec: {
					...spec,
					deadlineMs: declared && row.deadlineAt ? deadlineOfStep(shareOf(declared), row.deadlineAt.getTime(), nowMs) : null,
					data: [...spec.data, ...dataOf(declared, outputs)],
				},
				by: row.submittedBy,
			};
		});
		const ids = await insertJobs(
			tx,
			submissions.map(({ spec, by }) => submissionOf(spec, by)),
			nowMs,
		);
		const made = part.map(({ index }, i) => ({ pipelineId: row.id, run: index, jobId: ids[i] ?? "", createdAtMs: nowMs }));
		await insertRecords(tx, "pipeline_job", made);
		await tx.execute(sql`
			update pipeline_run set state = 'submitted', job_id = m."jobId", tries = tries + 1, finished_at = null, why = null, exit_code = null
			from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as m(run integer, "jobId" text)
			where pipeline_run.pipeline_id = ${row.id} and pipeline_run.index = m.run`);
	}
}

function shareOf({ runMs, restMs, spreadMs = 0, restSpreadMs = 0 }: StoredStep): StepShare {
	return { runMs, restMs, spreadMs, restSpreadMs };
}

function submissionOf(spec: JobSpec, by: string) {
	return { spec, by, actor: { kind: "system", part: "control_loop" } as const, requestId: null, source: null };
}

/** An output of a run, in the store. */
interface StoredOutput {
	step: string;
	run: string;
	name: string;
	id: string;
	bytes: bigint;
}

/** Outputs that these steps need, from the newest attempt of each run. */
async function readOutputs(tx: Tx, row: PipelineRow, steps: ReadonlySet<number>): Promise<StoredOutput[]> {
	const positions = new Map(row.graph.map(({ name }, position) => [name, position]));
	const needed = [...steps].flatMap((step) => row.graph[step]?.inputs.flatMap((input) => positions.get(input.step) ?? []) ?? []);
	if (needed.length === 0) return [];
	const rows = await tx
		.select({
			index: pipelineRun.index,
			step: pipelineRun.step,
			run: pipelineRun.name,
			name: artifact.name,
			id: artifact.id,
			bytes: artifact.bytes,
		})
		.from(pipelineRun)
		.innerJoin(artifact, eq(artifact.jobId, pipelineRun.jobId))
		.where(
			and(
				eq(pipelineRun.pipelineId, row.id),
				inArray(pipelineRun.step, [...new Set(needed)]),
				isNull(artifact.runId),
				isNull(artifact.deletedAt),
			),
		)
		.orderBy(pipelineRun.index, desc(artifact.createdAt));
	const newest = new Map<string, StoredOutput>();
	for (const { index, step, ...output } of rows) {
		const key = `${index} ${output.name}`;
		if (!newest.has(key)) newest.set(key, { ...output, step: row.graph[step]?.name ?? "" });
	}
	return [...newest.values()];
}

/** The inputs of a step as data of its job. If there are several runs, each run's outputs are in a folder named after the run. */
function dataOf(step: StoredStep | undefined, outputs: readonly StoredOutput[]): DataRef[] {
	return (step?.inputs ?? []).flatMap(({ step: source, output, mount }) => {
		const found = outputs.filter((one) => one.step === source && one.name === output);
		return found.map(({ id, bytes, run }) => ({
			uri: artifactUri(id),
			// Policies treat an unknown size as unlimited, so give an empty file its size.
			sizeGiB: Math.max(Number(bytes), 1) / GIB,
			mount: found.length === 1 && run === source ? mount : `${mount}/${run}`,
			residency: [],
		}));
	});
}
