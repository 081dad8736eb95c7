import { createHash } from "node:crypto";
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { job } from "#server/db/schema/job.ts";
import { pipeline, pipelineJob } from "#server/db/schema/pipeline.ts";
import type { LineageFacts } from "#server/domain/lineage.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { loadTraceFacts } from "../trace/facts.ts";

/** The recorded facts of these jobs, except those that never started. Cost: one read of each table, by job. */
export async function loadLineageFacts(db: Db, jobIds: readonly string[]): Promise<LineageFacts[]> {
	const ids = [...jobIds];
	const rows = await db
		.select({ job, pipelineId: pipeline.id, pipelineName: pipeline.name })
		.from(job)
		.leftJoin(pipelineJob, eq(pipelineJob.jobId, job.id))
		.leftJoin(pipeline, eq(pipeline.id, pipelineJob.pipelineId))
		.where(inArray(job.id, ids));
	const traced = new Map((await loadTraceFacts(db, ids)).map((facts) => [facts.jobId, facts]));
	const outputs = Map.groupBy(await readOutputs(db, ids), (row) => row.jobId);
	return rows.flatMap(({ job: row, pipelineId, pipelineName }): LineageFacts[] => {
		if (row.startedAt === null) return [];
		const facts = traced.get(row.id);
		return [
			{
				...{ id: row.id, runId: runIdOf(row.id), name: row.name, team: row.team, class: row.class, gpus: row.gpus },
				...{ attempts: row.attempts, state: row.state, placement: row.placement, why: sentenceOf(row.reason) },
				...{ startedAtMs: row.startedAt.getTime(), finishedAtMs: row.finishedAt?.getTime() ?? null },
				policy: facts?.attempts.findLast(({ policy }) => policy !== null)?.policy ?? null,
				...{ costMicroUsd: row.costMicroUsd, emissionsMilligrams: row.emissionsMilligrams, isCharged: facts?.isComplete ?? false },
				...{ data: row.spec.data, outputs: outputs.get(row.id) ?? [] },
				pipeline: pipelineId === null || pipelineName === null ? null : { runId: runIdOf(pipelineId), name: pipelineName },
			},
		];
	});
}

function readOutputs(db: Db, ids: string[]) {
	return db
		.select({ jobId: artifact.jobId, id: artifact.id, digest: artifact.digest, bytes: artifact.bytes, files: artifact.files })
		.from(artifact)
		.where(and(inArray(artifact.jobId, ids), isNull(artifact.deletedAt)))
		.orderBy(sql`${artifact.createdAt}, ${artifact.id}`);
}

/** The UUID (version 8 of RFC 9562, from SHA-256) of a job's or pipeline's run: the same in every event. */
export function runIdOf(id: string): string {
	const hex = createHash("sha256").update(`spillway/lineage/${id}`).digest("hex");
	const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
	return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}
