import { z } from "zod";
import { CHECKPOINT_RANKS, CHECKPOINT_RESTORES } from "#server/domain/checkpoint.ts";
import { OUTPUT_KINDS, OUTPUT_MOMENTS } from "#server/domain/output.ts";
import { ADOPTION_STATES, ATTEMPT_STATES, JOB_STATES } from "#server/domain/states.ts";
import { MOVE_DESTINATIONS, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { instant, integerText } from "../parts.ts";
import { instanceSchema, placementSchema, reasonSchema, timeRangeSchema } from "./shared.ts";
import { templateOriginSchema } from "./template.ts";

export const jobSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		team: z.string(),
		project: z.string(),
		class: z.enum(WORKLOAD_CLASSES),
		state: z.enum(JOB_STATES),
		reason: reasonSchema,
		priority: z.number(),
		gpus: z.number(),
		placement: placementSchema.nullable(),
		attempts: z.number(),
		submittedAt: instant,
		pendingSince: instant,
		startedAt: instant.nullable(),
		finishedAt: instant.nullable(),
		deadlineAt: instant.nullable(),
		cancelRequestedAt: instant.nullable(),
		forecast: timeRangeSchema.nullable(),
		estimateMs: z.number().nullable(),
		completedMs: z.number(),
		expected: z.object({ totalMicroUsd: integerText, workMs: z.number(), beganAt: instant.nullable(), beforeMs: z.number() }).nullable(),
		costMicroUsd: integerText,
		emissionsGrams: z.number(),
		synthetic: z.boolean(),
	})
	.meta({ id: "Job" });

const facetSchema = z.record(z.string(), z.number().int());

export const jobFacetsSchema = z
	.object({ total: z.number().int(), state: facetSchema, team: facetSchema, class: facetSchema, site: facetSchema })
	.meta({ id: "JobFacets" });

/** `ended` is for `cancel`: false while the job still has to stop. */
export const jobActionResultSchema = z
	.object({
		id: z.string(),
		done: z.boolean(),
		ended: z.boolean().nullable(),
		newJobId: z.string().nullable(),
		priorityBefore: z.number().int().nullable(),
		problem: z.object({ code: z.string(), message: z.string(), fix: z.string().nullable() }).nullable(),
	})
	.meta({ id: "JobActionResult" });

export const dataRefSchema = z
	.object({
		uri: z.string(),
		sizeGiB: z.number().nullable(),
		mount: z.string(),
		residency: z.array(z.string()),
	})
	.meta({ id: "DataRef" });

export const outputSpecSchema = z
	.object({
		name: z.string(),
		path: z.string(),
		kind: z.enum(OUTPUT_KINDS),
		when: z.enum(OUTPUT_MOMENTS),
		keepMs: z.number().nullable(),
		to: z.string().optional(),
	})
	.meta({ id: "OutputSpec" });

export const jobSpecSchema = z
	.object({
		name: z.string(),
		team: z.string(),
		project: z.string().nullable(),
		labels: z.record(z.string(), z.string()),
		class: z.enum(WORKLOAD_CLASSES),
		image: z.string().nullable(),
		command: z.array(z.string()),
		env: z.record(z.string(), z.string()),
		nodes: z.number(),
		interconnect: z.enum(["high"]).optional(),
		resources: z.object({
			gpus: z.number(),
			accelerators: z.array(z.string()),
			cpus: z.number().nullable(),
			memoryGiB: z.number().nullable(),
			gpuMemoryGiB: z.number().optional(),
			bf16: z.boolean().optional(),
		}),
		throughput: z.record(z.string(), z.number()).optional(),
		scaling: z
			.object({
				upTo: z.number(),
				parallel: z.number().optional(),
				curve: z.array(z.object({ gpus: z.number(), speed: z.number() })).optional(),
			})
			.optional(),
		duration: z.object({
			estimateMs: z.number().nullable(),
			maxMs: z.number().nullable(),
		}),
		deadlineMs: z.number().nullable(),
		priority: z.number(),
		critical: z.boolean(),
		approvalAboveUsd: z.number().optional(),
		checkpoint: z
			.object({
				path: z.string(),
				keep: z.number().int().optional(),
				ranks: z.enum(CHECKPOINT_RANKS).optional(),
				restore: z.enum(CHECKPOINT_RESTORES).optional(),
				intervalMs: z.number(),
			})
			.nullable(),
		data: z.array(dataRefSchema),
		mounts: z.array(z.string()).optional(),
		outputs: z.array(outputSpecSchema).optional(),
		user: z.string().optional(),
	})
	.meta({ id: "JobSpec" });

export const clusterWaitSchema = z
	.object({
		reason: z.string(),
		detail: z.string(),
	})
	.meta({ id: "ClusterWait" });

export const attemptSchema = z
	.object({
		id: z.string(),
		number: z.number(),
		state: z.enum(ATTEMPT_STATES),
		placement: placementSchema,
		gpus: z.number(),
		slots: z.array(z.number()),
		createdAt: instant,
		stagingAt: instant.nullable(),
		startedAt: instant.nullable(),
		stopRequestedAt: instant.nullable(),
		finishedAt: instant.nullable(),
		reason: reasonSchema.nullable(),
		exitCode: z.number().nullable(),
		exitSignal: z.string().nullable(),
		logLines: z.number(),
		clusterWait: clusterWaitSchema
			.extend({
				message: z.string(),
			})
			.nullable(),
		move: z.object({ to: z.enum(MOVE_DESTINATIONS), requestedBy: z.string().nullable(), at: instant.nullable() }).nullable(),
	})
	.meta({ id: "Attempt" });

export const checkpointSchema = z
	.object({
		id: z.string(),
		attemptId: z.string(),
		createdAt: instant,
		files: z.number(),
		bytes: z.number(),
		completedMs: z.number(),
	})
	.meta({ id: "Checkpoint" });

export const findingKindSchema = z.enum(["changed", "carried", "dropped", "question"]).meta({ id: "FindingKind" });

export const findingSchema = z
	.object({
		line: z.number(),
		kind: findingKindSchema,
		subject: z.string(),
		text: z.string(),
	})
	.meta({ id: "Finding" });

export const importRecordSchema = z
	.object({
		kind: z.enum(["kubernetes", "sbatch"]),
		findings: z.array(findingSchema),
		leftOut: z.number(),
		isAsRead: z.boolean(),
	})
	.meta({ id: "ImportRecord" });

export const foreignOutcomeSchema = z
	.object({
		outcome: z.enum(["failed", "cancelled", "succeeded"]),
		exitCode: z.number().nullable(),
		comment: z.string(),
	})
	.meta({ id: "ForeignOutcome" });

export const adoptionSchema = z
	.object({
		id: z.string(),
		state: z.enum(ADOPTION_STATES),
		siteId: z.string(),
		siteName: z.string(),
		foreignId: z.string(),
		user: z.string(),
		partition: z.string(),
		ruleId: z.string(),
		policyVersion: z.number(),
		offeredAt: instant,
		heldAt: instant.nullable(),
		endedAt: instant.nullable(),
		why: z.string().nullable(),
		outcome: foreignOutcomeSchema.nullable(),
		output: z
			.object({
				files: z.array(z.string()),
				problem: z.string().nullable(),
			})
			.nullable(),
		problem: z.string().nullable(),
	})
	.meta({ id: "Adoption" });

export const jobDetailSchema = jobSchema
	.extend({
		spec: jobSpecSchema,
		submittedBy: z.string(),
		attemptList: z.array(attemptSchema),
		instances: z.array(instanceSchema),
		checkpoints: z.array(checkpointSchema),
		imported: importRecordSchema
			.extend({
				readAt: instant,
			})
			.nullable(),
		adoption: adoptionSchema.nullable(),
		template: templateOriginSchema,
	})
	.meta({ id: "JobDetail" });

export const logPageSchema = z
	.object({
		attempt: z.number().nullable(),
		attempts: z.number(),
		lines: z.array(
			z.object({
				number: z.number(),
				at: z.string(),
				stream: z.enum(["stdout", "stderr", "spillway"]),
				text: z.string(),
			}),
		),
		total: z.number(),
		complete: z.boolean(),
		jobEnded: z.boolean(),
	})
	.meta({ id: "LogPage" });

export const gpuStretchSchema = z
	.object({
		atMs: z.number(),
		utilisationPercent: z.number(),
		powerWatts: z.number().nullable(),
	})
	.meta({ id: "GpuStretch" });

export const attemptGpuUseSchema = z
	.object({
		attemptId: z.string(),
		stretches: z.array(gpuStretchSchema),
		measuredMinutes: z.number(),
	})
	.meta({ id: "AttemptGpuUse" });

export const jobGpuUseSchema = z
	.object({
		stepMs: z.number(),
		attempts: z.array(attemptGpuUseSchema),
	})
	.meta({ id: "JobGpuUse" });

export const importSchema = z
	.object({
		kind: z.enum(["kubernetes", "sbatch"]),
		documents: z.array(z.record(z.string(), z.unknown())),
		findings: z.array(findingSchema),
		questions: z.number(),
	})
	.meta({ id: "Import" });

export const submittedJobSchema = z.object({ id: z.string(), state: z.literal("queued"), name: z.string() }).meta({ id: "SubmittedJob" });

export const submittedJobsSchema = z
	.object({ items: z.array(z.object({ id: z.string(), state: z.literal("queued") })) })
	.meta({ id: "SubmittedJobs" });

/** A line of a job's log, or the end of the stream when the job has ended. */
export const followedLineSchema = z.union([
	z.object({ end: z.literal(true) }),
	z.object({ attempt: z.number(), number: z.number(), at: z.string(), stream: z.string(), text: z.string() }),
]);
