import { fill } from "#server/domain/pipeline/fill.ts";
import type { PipelineSpec } from "#server/domain/pipeline/pipeline.ts";
import { parsePipelineDocument } from "#server/domain/pipeline/pipeline-file.ts";
import { type FiringView, firingValues } from "#server/domain/trigger/firing.ts";
import type { TriggerSpec } from "#server/domain/trigger/trigger.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { checkStepCondition } from "#server/policy/step-condition.ts";

/**
 * The pipeline that a firing starts, with its parameters filled in.
 * @throws SpillwayError `invalid_input` when the pipeline or a parameter is invalid, or the pipeline belongs to another team
 */
export function pipelineOfFiring({ name, team, pipeline, parameters }: TriggerSpec, saw: FiringView): PipelineSpec {
	const problems: Parameters<typeof fill>[2] = [];
	const filled = fill(parameters, firingValues(saw), problems) as Record<string, unknown>;
	const [problem] = problems;
	if (problem)
		throw new SpillwayError("invalid_input", `Parameter ${problem.at.join(".")} of trigger ${name} ${problem.message}.`, {
			fix: "docs/triggers.md lists what each kind of trigger provides.",
		});
	const spec = parsePipelineDocument(pipeline, { parameters: filled, checkCondition: checkStepCondition });
	if (spec.team !== team)
		throw new SpillwayError("invalid_input", `The trigger belongs to team ${team}, and its pipeline to ${spec.team}.`, {
			fix: "Use one team for both.",
		});
	return spec;
}

const TIME = "2026-01-01T00:00:00.000Z";

/** Sample facts of each kind of firing, to check a trigger before it is saved. */
export function exampleFiring({ source }: TriggerSpec): FiringView {
	switch (source.kind) {
		case "cron":
			return { time: TIME };
		case "data":
			return { time: TIME, files: 1, bytes: 1, uri: source.uri };
		case "webhook":
			return { time: TIME, event: { id: "1", type: "example", source: "example", subject: "example" } };
		case "after":
			return { time: TIME, pipeline: { id: "pipe_example", state: "succeeded" } };
	}
}
