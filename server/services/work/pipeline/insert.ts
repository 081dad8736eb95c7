import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { pipeline, type StoredStep } from "#server/db/schema/pipeline.ts";
import { graphOf } from "#server/domain/pipeline/advance.ts";
import type { PipelineSpec } from "#server/domain/pipeline/pipeline.ts";
import { newId } from "#server/kernel/ids.ts";
import { type StepExpectations, stepNeedsOf } from "#server/scheduling/pipeline/expectations.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { insertRecords } from "#server/services/core/insert-records.ts";
import { NO_COUNTS } from "./counts.ts";
import { reservePipeline } from "./reserve.ts";

/** A version of a template. */
export interface TemplateVersion {
	id: string;
	version: number;
}

export interface NewPipeline {
	spec: PipelineSpec;
	/** The source file. */
	source: string;
	quote: unknown;
	times: StepExpectations;
	/** The trigger that starts it. */
	triggerId?: string;
	/** The template that it is run from. */
	template?: TemplateVersion | undefined;
	/** The account that it runs for; absent for the actor's own. */
	by?: string;
}

/** Writes a pipeline with its runs, all `waiting`, and wakes the control loop. Returns its id. */
export async function insertPipeline(tx: Tx, ctx: ServiceContext, input: NewPipeline): Promise<string> {
	const { spec, source, quote } = input;
	const nowMs = ctx.clock.nowMs();
	const id = newId("pipe", nowMs);
	const runs = spec.steps.flatMap((step, position) => step.runs.map((run) => ({ ...run, step: position })));
	await tx.insert(pipeline).values({
		...{ id, kind: spec.kind, name: spec.name, team: spec.team, project: spec.project ?? "", labels: spec.labels },
		...{ parameters: spec.parameters, graph: storedSteps(spec, input.times), source, quote, runs: runs.length, parallel: spec.parallel },
		counts: { ...NO_COUNTS, waiting: runs.length },
		deadlineAt: spec.deadlineMs === null ? null : new Date(spec.deadlineMs),
		...{ budgetMicroUsd: spec.budgetMicroUsd, submittedBy: input.by ?? actorName(ctx.actor), submittedAt: new Date(nowMs) },
		...{ stop: spec.stop ?? null, triggerId: input.triggerId ?? null },
		...{ templateId: input.template?.id ?? null, templateVersion: input.template?.version ?? null },
	});
	await insertRecords(
		tx,
		"pipeline_run",
		runs.map(({ step, name, values, job }, index) => ({
			pipelineId: id,
			index,
			step,
			name,
			values,
			spec: job,
			state: "waiting",
			tries: 0,
		})),
	);
	await reservePipeline(tx, id, stepNeedsOf(spec.steps, input.times), nowMs);
	await writeAudit(tx, ctx, { action: "pipeline.submit", subject: id, after: { name: spec.name, team: spec.team, runs: runs.length } });
	await notify(tx, { wake: true, changes: [{ topic: "pipeline", id, team: spec.team }] });
	return id;
}

function storedSteps({ steps }: PipelineSpec, times: StepExpectations): StoredStep[] {
	return graphOf(steps).map((step, at) => ({
		...step,
		inputs: steps[at]?.inputs ?? [],
		...(times.get(step.name) ?? { runMs: 0, restMs: 0 }),
	}));
}
