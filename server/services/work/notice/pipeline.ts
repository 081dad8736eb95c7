import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { type pipeline, pipelineRun } from "#server/db/schema/pipeline.ts";
import type { WorkEvent } from "#server/domain/notice.ts";
import type { PipelineState, StepState } from "#server/domain/states.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { recordNotice } from "#server/services/notification/notice/record.ts";

type PipelineRow = Pick<typeof pipeline.$inferSelect, "id" | "kind" | "name" | "team" | "submittedBy" | "submittedAt" | "runs">;

/** Records that a pipeline or sweep finished or failed, also after a retry. A cancelled one notifies no one. */
export async function recordPipelineNotice(
	tx: Tx,
	row: PipelineRow,
	end: { state: PipelineState; counts: Record<StepState, number>; nowMs: number },
): Promise<void> {
	const { state, counts, nowMs } = end;
	if (state !== "succeeded" && state !== "failed") return;
	const { id, kind, name, team, submittedBy, submittedAt, runs } = row;
	const failed = counts.failed > 0 ? `${counts.failed} failed.` : null;
	const why = [`${counts.succeeded} of ${runs} runs succeeded.`, failed].filter((part) => part !== null).join(" ");
	const ranMs = Math.floor((nowMs - submittedAt.getTime()) / SECOND_MS) * SECOND_MS;
	// The file's events apply to each of its jobs.
	const [first] = await tx
		.select({ notify: sql<WorkEvent[] | null>`${pipelineRun.spec}->'notify'` })
		.from(pipelineRun)
		.where(and(eq(pipelineRun.pipelineId, id), eq(pipelineRun.index, 0)));
	await recordNotice(tx, {
		...{ event: state === "failed" ? "failed" : "finished", work: { kind, id, name, team, ranMs, why } },
		...{ submittedBy, notify: first?.notify ?? undefined, pipeline: name, occurrence: String(nowMs), nowMs },
	});
}
