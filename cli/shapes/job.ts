import { z } from "zod";
import { ATTEMPT_STATES, JOB_STATES } from "#server/domain/states.ts";
import { instanceShape } from "./capacity.ts";
import { micro, placement, range, reason, time } from "./parts.ts";

export const jobShape = z.looseObject({
	id: z.string(),
	name: z.string(),
	team: z.string(),
	class: z.string(),
	state: z.enum(JOB_STATES),
	reason,
	priority: z.number(),
	gpus: z.number(),
	placement: placement.nullable(),
	attempts: z.number(),
	submittedAt: z.string(),
	startedAt: time,
	finishedAt: time,
	deadlineAt: time,
	cancelRequestedAt: time,
	forecast: range.nullable(),
	estimateMs: z.number().nullable(),
	costMicroUsd: micro,
	emissionsGrams: z.number(),
});

export type Job = z.infer<typeof jobShape>;

const findingShape = z.looseObject({
	...{ line: z.number(), kind: z.enum(["carried", "changed", "dropped", "question"]), subject: z.string(), text: z.string() },
});

export const jobDetailShape = jobShape.extend({
	spec: z.looseObject({
		command: z.array(z.string()),
		nodes: z.number(),
		duration: z.looseObject({ estimateMs: z.number().nullable(), maxMs: z.number().nullable() }),
	}),
	submittedBy: z.string(),
	imported: z.looseObject({ kind: z.string(), findings: z.array(findingShape), leftOut: z.number(), isAsRead: z.boolean() }).nullish(),
	adoption: z
		.looseObject({
			...{ siteId: z.string(), foreignId: z.string(), user: z.string(), partition: z.string(), state: z.string(), ruleId: z.string() },
			...{ heldAt: time, why: z.string().nullable(), problem: z.string().nullable() },
			output: z.looseObject({ files: z.array(z.string()), problem: z.string().nullable() }).nullable(),
		})
		.nullish(),
	attemptList: z.array(
		z.looseObject({
			number: z.number(),
			state: z.enum(ATTEMPT_STATES),
			placement,
			slots: z.array(z.number()),
			createdAt: z.string(),
			startedAt: time,
			finishedAt: time,
			reason: reason.nullable(),
			exitCode: z.number().nullable(),
			logLines: z.number(),
			clusterWait: z.looseObject({ message: z.string() }).nullish(),
		}),
	),
	instances: z.array(instanceShape),
	checkpoints: z.array(z.looseObject({ createdAt: z.string(), bytes: z.number(), completedMs: z.number() })),
});

export type JobDetail = z.infer<typeof jobDetailShape>;

export const submittedShape = z.looseObject({ id: z.string(), state: z.string(), name: z.string() });

export const submittedBatchShape = z.looseObject({ items: z.array(z.looseObject({ id: z.string() })) });

export const logLineShape = z.looseObject({ number: z.number(), at: z.string(), stream: z.string(), text: z.string() });

export const logPageShape = z.looseObject({
	attempt: z.number().nullable(),
	attempts: z.number(),
	lines: z.array(logLineShape),
	total: z.number(),
});

export const followedShape = z.union([z.looseObject({ end: z.literal(true) }), logLineShape.extend({ attempt: z.number() })]);

export const importShape = z.looseObject({
	kind: z.string(),
	documents: z.array(z.record(z.string(), z.unknown())),
	findings: z.array(findingShape),
	questions: z.number(),
});
