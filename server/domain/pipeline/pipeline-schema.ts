import { z } from "zod";
import { usdToMicro } from "../../kernel/money.ts";
import { dataSetSchema, JOB_LIMITS, jobSpecSchema, metadataSchema } from "../job-schema.ts";
import * as value from "../schema/values.ts";
import { WORKLOAD_CLASSES } from "../vocabulary.ts";
import { PIPELINE_LIMITS } from "./pipeline.ts";

/**
 * The pipeline and sweep files: one definition of every field, its bounds and its documentation. The parser, `/schemas/pipeline.json`,
 * `/schemas/sweep.json` and the tables of docs/pipelines.md are derived from it.
 */

export const scalar = z.union([value.text(PIPELINE_LIMITS.scalarCharacters), z.number(), z.boolean()], {
	error: `must be a number, true, false or text of at most ${PIPELINE_LIMITS.scalarCharacters} characters`,
});

const identifier = () => z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, "must be letters, digits and _, and not start with a digit");

const usd = () =>
	z
		.number()
		.positive()
		.max(1e9)
		.transform((amount, ctx) => {
			try {
				return usdToMicro(amount);
			} catch {
				ctx.addIssue({ code: "custom", message: "must be an amount with at most six decimals" });
				return z.NEVER;
			}
		})
		.meta({ unit: "USD" });

const className = () =>
	z
		.enum(WORKLOAD_CLASSES)
		.optional()
		.meta({
			title: "Class",
			description: "Workload class of every step that does not name its own.",
			examples: ["burst"],
			defaultText: "burst",
		});

const deadline = () =>
	value
		.timestamp()
		.optional()
		.meta({
			title: "Deadline",
			description: "When everything must be finished. Requires a time zone. Each step gets its share of the time left.",
			examples: ["2026-12-01T08:00:00Z"],
		});

const budget = () =>
	usd()
		.optional()
		.meta({
			title: "Budget",
			description: "The most that all steps together may spend in clouds. Submission fails when the worst case is higher.",
			examples: [25],
			defaultText: "none",
		});

const parallel = (what: string) =>
	value
		.wholeNumber(1, PIPELINE_LIMITS.runs)
		.optional()
		.meta({ title: "Parallel", description: `${what} at a time.`, examples: [4], defaultText: "no limit" });

const notify = () =>
	jobSpecSchema.shape.notify.meta({
		...jobSpecSchema.shape.notify.meta(),
		description: "Events of the pipeline or sweep and of its jobs that are mailed to the submitter's address.",
		docs: "Events of the pipeline or sweep, and of its jobs before their end, that are [mailed to the submitter's address](notifications.md).",
	});

const retry = () =>
	value
		.wholeNumber(0, PIPELINE_LIMITS.retry)
		.default(0)
		.meta({
			title: "Retry",
			description: "How often a failed job is resubmitted. Interrupted jobs are always requeued.",
			examples: [1],
		});

/** A data set of a step: an address, or the output of another step. */
const stepData = dataSetSchema
	.extend({
		uri: dataSetSchema.shape.uri.optional().meta({ ...dataSetSchema.shape.uri.meta(), defaultText: "none" }),
		from: z
			.string()
			.regex(/^[^.\s]+\.[^.\s]+$/, "must be STEP.OUTPUT, for example train.model")
			.optional()
			.meta({
				title: "From",
				description: "Output of another step, as STEP.OUTPUT. The step is added to needs.",
				docs: "Output of another step, as `STEP.OUTPUT`; the step is added to `needs`. With several runs, each is in a folder with the name of its run.",
				examples: ["train.model"],
			}),
	})
	.superRefine((set, ctx) => {
		if ((set.uri === undefined) === (set.from === undefined))
			ctx.addIssue({ code: "custom", message: "must have either uri or from", params: { fix: "Write for example from: train.model." } });
		if (set.from !== undefined && set.sizeGiB !== undefined)
			ctx.addIssue({ code: "custom", path: ["sizeGiB"], message: "is known for the output of a step. Remove it" });
	});

/** The job of a step: a job spec without deadline and notifications, with data from other steps. */
export const stepJobSchema = jobSpecSchema.omit({ deadline: true, class: true, notify: true }).extend({
	class: jobSpecSchema.shape.class
		.unwrap()
		.optional()
		.meta({
			title: "Class",
			description: "Workload class of this step.",
			examples: ["burst"],
			defaultText: "the pipeline's",
		}),
	data: z
		.array(stepData)
		.max(JOB_LIMITS.dataRefs)
		.refine(
			(sets) => new Set(sets.map((set) => set.mount)).size === sets.length,
			"has two data sets with the same mount. Give each its own",
		)
		.default([])
		.meta({ title: "Data", description: "Data sets that are copied to the job.", examples: [[{ from: "train.model", mount: "/model" }]] }),
});

export type StepJob = z.output<typeof stepJobSchema>;

const JOB_META = {
	title: "Job",
	description: "What the step runs: the fields of a job's spec.",
	docs: "What the step runs: the fields of [a job's `spec`](job-file.md#spec) without `deadline` and `notify`, and `data[].from`.",
	examples: [{ command: ["node", "train.mjs"] }],
	valueType: "fields of a job",
};

/** A step's job before its parameters are filled in: any set of fields. */
const unfilledJob = z.record(z.string(), z.unknown());

const axis = z
	.array(scalar)
	.min(1, "must have at least one value")
	.max(PIPELINE_LIMITS.axisValues)
	.refine((values) => new Set(values).size === values.length, "has a value twice");

const stepWith = <J extends z.ZodType>(job: J) =>
	z
		.strictObject({
			name: value.name().meta({ title: "Step name", description: "Must be unique in the pipeline.", examples: ["train"] }),
			needs: z
				.array(value.name())
				.max(PIPELINE_LIMITS.needs)
				.default([])
				.meta({ title: "Needs", description: "Steps that must end first.", examples: [["prepare"]] }),
			when: value
				.line(1_000)
				.optional()
				.meta({
					title: "When",
					description: "Condition on the needed steps. The step is skipped when it does not hold.",
					docs: "Condition on the needed steps, such as `needs.check.exit == 0`. The step is skipped when it does not hold. [Conditions](#conditions).",
					examples: ['needs.train.state == "succeeded"'],
					defaultText: "every needed step succeeded",
				}),
			foreach: axis.optional().meta({
				title: "For each",
				description: `Runs the step once for each value, as \${{ item }}.`,
				docs: `Runs the step once for each value, as \`\${{ item }}\`.`,
				examples: [["eu", "us"]],
			}),
			matrix: z
				.record(identifier(), axis)
				.refine((axes) => Object.keys(axes).length >= 1 && Object.keys(axes).length <= 8, "must have 1 to 8 axes")
				.optional()
				.meta({
					title: "Matrix",
					description: `Runs the step once for each combination of values, as \${{ matrix.NAME }}.`,
					docs: `Runs the step once for each combination of values, as \`\${{ matrix.NAME }}\`.`,
					examples: [{ rate: [0.1, 0.3], layers: [2, 4] }],
				}),
			retry: retry(),
			job: job.meta(JOB_META),
		})
		.refine((step) => step.foreach === undefined || step.matrix === undefined, {
			path: ["matrix"],
			message: "cannot be given together with foreach. Use an axis of the matrix instead",
		});

const parameter = z
	.strictObject({
		type: z.enum(["text", "number", "boolean"]).meta({ title: "Type", description: "Type of the value.", examples: ["number"] }),
		default: scalar.optional().meta({
			title: "Default",
			description: "Used when the caller gives no value. Without it the parameter is required.",
			examples: [4],
			valueType: "value",
		}),
		choices: z
			.array(scalar)
			.min(1)
			.max(100)
			.optional()
			.meta({ title: "Choices", description: "The only allowed values.", examples: [[2, 4, 8]], valueType: "list of values" }),
		description: value
			.line(200)
			.optional()
			.meta({ title: "Description", description: "Shown to the caller.", examples: ["Passes"] }),
	})
	.meta({ title: "Parameter" });

export type ParameterSpec = z.output<typeof parameter>;

const parameters = () =>
	z
		.record(identifier(), parameter)
		.refine((all) => Object.keys(all).length <= PIPELINE_LIMITS.parameters, `must have at most ${PIPELINE_LIMITS.parameters} parameters`)
		.default({})
		.meta({
			title: "Parameters",
			description: `Values that the caller may set, as \${{ parameters.NAME }}.`,
			docs: `Values that the caller may set, as \`\${{ parameters.NAME }}\`. [Parameters](#parameters).`,
			examples: [{ epochs: { type: "number", default: 4 } }],
		});

const documentWith = <K extends string, S extends z.ZodType>(kind: K, spec: S) =>
	z.strictObject({
		apiVersion: z.literal("spillway/v1").meta({ description: "Always spillway/v1." }),
		kind: z.literal(kind).meta({ description: `Always ${kind}.` }),
		metadata: metadataSchema.meta({ description: "Name, team, project and labels." }),
		spec,
	});

const pipelineWith = <J extends z.ZodType>(job: J) =>
	documentWith(
		"Pipeline",
		z
			.strictObject({
				parameters: parameters(),
				class: className(),
				deadline: deadline(),
				budgetUsd: budget(),
				parallel: parallel("Jobs"),
				notify: notify(),
				steps: z
					.array(stepWith(job))
					.min(1, "must have at least one step")
					.max(PIPELINE_LIMITS.steps)
					.meta({ title: "Steps", description: "What runs, in any order.", examples: [[]] }),
			})
			.meta({ description: "Steps and what they share." }),
	);

/** The form that people write, with the full job of a step: for editors and the reference. */
export const pipelineDocumentSchema = pipelineWith(stepJobSchema).meta({
	title: "Spillway pipeline",
	description: "Jobs that depend on each other, quoted and paid as one.",
});

/** The same, before parameters are filled in. */
export const unfilledPipelineSchema = pipelineWith(unfilledJob);

const range = z
	.strictObject({
		min: z.number().meta({ title: "Minimum", description: "Smallest value.", examples: [0.001] }),
		max: z.number().meta({ title: "Maximum", description: "Largest value.", examples: [0.1] }),
		scale: z
			.enum(["linear", "log"])
			.default("linear")
			.meta({ title: "Scale", description: "log draws evenly between powers of ten.", examples: ["log"] }),
		integer: z
			.boolean()
			.default(false)
			.meta({ title: "Whole numbers", description: "Draw whole numbers.", examples: [true] }),
	})
	.refine(({ min, max }) => min < max, { path: ["max"], message: "must be larger than min" })
	.refine(({ min, scale }) => scale === "linear" || min > 0, { path: ["min"], message: "must be above 0 on a log scale" });

export type SweepRange = z.output<typeof range>;

const stopRule = z
	.strictObject({
		metric: z
			.string()
			.regex(/^[A-Za-z_][\w./-]{0,99}$/, "must be the name of a metric")
			.meta({ title: "Metric", description: "Metric that trials are compared by.", examples: ["loss"] }),
		goal: z.enum(["minimize", "maximize"]).meta({ title: "Goal", description: "Which values are better.", examples: ["minimize"] }),
		rule: z
			.enum(["median", "halving", "none"])
			.default("median")
			.meta({
				title: "Rule",
				description: "median stops trials worse than the median of others at the same step. halving keeps the best part at each rung.",
				docs: "`median` stops a trial when its best value is worse than the median of the others at the same step. `halving` lets only the best 1/`reduction` continue at steps `warmup`, `warmup` × `reduction`, …",
				examples: ["median"],
			}),
		warmup: value
			.wholeNumber(1, 1_000_000_000)
			.default(1)
			.meta({ title: "Warm-up", description: "First step at which a trial may be stopped.", examples: [3] }),
		reduction: value
			.wholeNumber(2, 100)
			.default(3)
			.meta({ title: "Reduction", description: "With halving: one trial in so many continues.", examples: [3] }),
		target: z
			.number()
			.optional()
			.meta({ title: "Target", description: "The sweep ends when a trial reaches this value.", examples: [0.05], defaultText: "none" }),
	})
	.meta({ title: "Early stopping", description: "When trials are stopped before their end, by a metric of the job." });

const sweepWith = <J extends z.ZodType>(job: J) =>
	documentWith(
		"Sweep",
		z
			.strictObject({
				parameters: parameters(),
				class: className(),
				deadline: deadline(),
				budgetUsd: budget(),
				parallel: parallel("Trials"),
				notify: notify(),
				retry: retry(),
				grid: z
					.record(identifier(), axis)
					.optional()
					.meta({
						title: "Grid",
						description: "One trial for each combination of values.",
						examples: [{ rate: [0.1, 0.3], layers: [2, 4] }],
					}),
				random: z
					.strictObject({
						trials: value.wholeNumber(1, PIPELINE_LIMITS.runs).meta({ title: "Trials", description: "Number of trials.", examples: [20] }),
						seed: value
							.wholeNumber(0, 2 ** 31)
							.default(1)
							.meta({ title: "Seed", description: "The same seed draws the same values.", examples: [1] }),
						draw: z.record(identifier(), z.union([axis, range], { error: "must be a list of values, or a range with min and max" })).meta({
							title: "Draw",
							description: "Values or range of each name.",
							docs: "For each name a list of values, or `{ min, max, scale: linear or log, integer }`.",
							examples: [{ rate: { min: 0.001, max: 0.1, scale: "log" } }],
							valueType: "name: values or range",
						}),
					})
					.optional()
					.meta({ title: "Random", description: "Trials with values drawn at random." }),
				list: z
					.array(z.record(identifier(), scalar))
					.min(1)
					.max(PIPELINE_LIMITS.runs)
					.optional()
					.meta({ title: "List", description: "The trials, one by one.", examples: [[{ rate: 0.1 }, { rate: 0.3 }]] }),
				stop: stopRule.optional(),
				job: job.meta({
					...JOB_META,
					description: `What each trial runs. \${{ trial.NAME }} is its value.`,
					docs: `What each trial runs: the fields of [a job's \`spec\`](job-file.md#spec) without \`deadline\` and \`notify\`. \`\${{ trial.NAME }}\` is its value.`,
				}),
			})
			.refine((spec) => [spec.grid, spec.random, spec.list].filter((way) => way !== undefined).length === 1, {
				message: "must have exactly one of grid, random and list",
			})
			.meta({ description: "Trials and what they share." }),
	);

export const sweepDocumentSchema = sweepWith(stepJobSchema).meta({
	title: "Spillway sweep",
	description: "One job with many values, quoted and paid as one.",
});

export const unfilledSweepSchema = sweepWith(unfilledJob);
