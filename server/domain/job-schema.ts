import { z } from "zod";
import { HOUR_MS, SECOND_MS } from "../kernel/units.ts";
import { CHECKPOINT_RANKS, CHECKPOINT_RESTORES } from "./checkpoint.ts";
import { dataAddressOf } from "./data-address.ts";
import { deliveryProblem } from "./delivery-target.ts";
import { INTERCONNECTS } from "./interconnect.ts";
import { SECRET_LIMITS, secretFileName } from "./job-secret.ts";
import { patternProblem } from "./metric/read-metrics.ts";
import { WORK_EVENTS } from "./notice.ts";
import { OUTPUT_KINDS, OUTPUT_MOMENTS, outputVariable } from "./output.ts";
import * as value from "./schema/values.ts";
import { MOUNTS_MAX, mountName } from "./site-mount.ts";
import { WORKLOAD_CLASSES } from "./vocabulary.ts";

/**
 * The job file: one definition of every field, its bounds and its documentation. The parser, `/schemas/job.json`,
 * completion, the form and the tables of docs/job-file.md are derived from it. To add a field, add it here and to
 * `specOf` in job-file.ts.
 */

/** Limits on input. */
export const JOB_LIMITS = {
	documentBytes: 256 * 1024,
	commandParts: 1_000,
	partCharacters: 32_768,
	envEntries: 200,
	labels: 64,
	dataRefs: 64,
	outputs: 32,
	nodes: 256,
	gpusPerNode: 16,
	cpusPerNode: 4_096,
	durationMs: 90 * 24 * HOUR_MS,
	checkpointIntervalMinMs: SECOND_MS,
} as const;

const RESERVED_ENV = /^(SPILLWAY_|CUDA_VISIBLE_DEVICES$)/;
const duration = () => value.duration(JOB_LIMITS.durationMs);
const gib = () => value.gib(1e9);

const envName = z
	.string()
	.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be letters, digits and _, and not start with a digit")
	.refine((key) => !RESERVED_ENV.test(key), "is set by Spillway, like every SPILLWAY_* variable");
const envValue = z.union([value.text(JOB_LIMITS.partCharacters), z.number().transform(String), z.boolean().transform(String)], {
	error: `must be text of at most ${JOB_LIMITS.partCharacters} characters without NUL, a number, true or false`,
});

function checkDataUri(uri: string, ctx: z.RefinementCtx): void {
	// The pattern already reports a missing scheme.
	if (!uri.includes(":")) return;
	try {
		dataAddressOf(uri);
	} catch (error) {
		ctx.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
	}
}

function checkDeliveryTarget(target: string, ctx: z.RefinementCtx): void {
	const problem = deliveryProblem(target);
	if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
}

const resources = z.strictObject({
	gpus: value
		.wholeNumber(1, JOB_LIMITS.gpusPerNode)
		.default(1)
		.meta({
			title: "GPUs per node",
			description: "Whole GPUs on each node.",
			docs: "Whole GPUs on each node, 1 to 16.",
			examples: [8],
		}),
	accelerators: z
		.array(value.line(64))
		.max(32)
		.default([])
		.meta({
			title: "Accelerators",
			description: "Accepted accelerator models, separated by commas. Any when empty.",
			docs: "Accepted models, at most 32: `A100-80GB`, or a name that covers several models, such as `A100`. Other names are matched as written. TPUs and Trainium (`TPU-v5e`, `TPU-v6e`, `Trainium2`) are used only by jobs that name them.",
			examples: [["H100-80GB", "A100-80GB"]],
			defaultText: "any",
			valueType: "list of accelerators",
		}),
	cpus: value
		.wholeNumber(1, JOB_LIMITS.cpusPerNode)
		.optional()
		.meta({ title: "CPUs per node", description: "CPU cores on each node.", examples: [96], defaultText: "any" }),
	memoryGiB: gib()
		.optional()
		.meta({ title: "Memory per node", description: "Memory on each node.", examples: [900], defaultText: "any" }),
	gpuMemoryGiB: value
		.gib(1_024)
		.optional()
		.meta({
			title: "GPU memory",
			description: "Minimum memory of each GPU. Smaller GPUs are excluded.",
			examples: [40],
			defaultText: "any",
		}),
	bf16: z
		.boolean()
		.optional()
		.meta({
			title: "Needs bfloat16",
			description: "true excludes accelerators without bfloat16.",
			docs: "`true` excludes accelerators without bfloat16 (before NVIDIA Ampere: V100, T4, P100, K80).",
			examples: [true],
			defaultText: "false",
		}),
});

const checkpoint = z.strictObject({
	path: value.absolutePath().meta({
		title: "Checkpoint folder",
		description: "Where the job writes its checkpoints. SPILLWAY_CHECKPOINT_DIR contains this path.",
		examples: ["/checkpoints"],
	}),
	interval: duration()
		.refine((ms) => ms >= JOB_LIMITS.checkpointIntervalMinMs, "must be at least 1s, so that the job makes progress")
		.prefault("15m")
		.meta({ title: "Checkpoint interval", description: "How often checkpoints are saved. At least 1s.", examples: ["15m"] }),
	keep: value
		.wholeNumber(1, 100)
		.optional()
		.meta({ title: "Checkpoints kept", description: "Complete checkpoints that are kept.", examples: [5], defaultText: "2" }),
	ranks: z
		.enum(CHECKPOINT_RANKS)
		.default("first")
		.meta({
			title: "Saving ranks",
			description: "first saves on rank 0. all saves the shards of every rank, in folders named by step.",
			docs: "`first` saves on rank 0. `all` saves the shards of every rank, in folders named by step; see [checkpoints](checkpoints.md#every-rank-saves).",
			examples: ["all"],
		}),
	restore: z
		.enum(CHECKPOINT_RESTORES)
		.default("all")
		.meta({
			title: "Restored shards",
			description: "all restores every rank's shards on each machine, own only its own.",
			examples: ["own"],
		}),
});

export const dataSetSchema = z.strictObject({
	uri: value
		.line(1024)
		.regex(/^[a-z][a-z0-9+.-]*:/, "needs a scheme, for example s3://bucket/path or file:///folder")
		.superRefine(checkDataUri)
		.meta({
			title: "Data URI",
			description: "Where the data is stored.",
			docs: "Where the data is stored: `s3://bucket/path`, `file:///folder`, and [others](data.md).",
			examples: ["s3://acme/claims"],
		}),
	sizeGiB: gib()
		.optional()
		.meta({
			title: "Data size",
			description: "Size of the data. Policies treat an unknown size as unlimited.",
			examples: [500],
			defaultText: "unknown",
		}),
	mount: value
		.absolutePath()
		.meta({ title: "Mount path", description: "Where the job reads the data. Must be unique.", examples: ["/data"] }),
	residency: z
		.array(z.string().regex(/^[a-z]{2,16}$/, "must be a lower-case region such as eu or us"))
		.max(16)
		.default([])
		.meta({
			title: "Residency",
			description: "Regions that the data must not leave, such as eu. Available to policies.",
			examples: [["eu"]],
		}),
});

const output = z.strictObject({
	name: value.name().meta({ title: "Output name", description: "Must be unique within the job.", examples: ["model"] }),
	path: value
		.absolutePath()
		.refine((path) => !/^[/.]*$/.test(path), "must name a file or folder below the work folder, for example out/model")
		.meta({
			title: "Output path",
			description: "File or folder that the job writes. SPILLWAY_OUTPUT_<NAME> contains its absolute path.",
			examples: ["out/model"],
		}),
	kind: z
		.enum(OUTPUT_KINDS)
		.default("file")
		.meta({ title: "Kind", description: "A label: model, dataset, report or file.", examples: ["model"] }),
	when: z
		.enum(OUTPUT_MOMENTS)
		.default("success")
		.meta({
			title: "Upload when",
			description: "success uploads when the command exits with 0. always also after failures and interruptions.",
			examples: ["success"],
		}),
	to: z
		.string()
		.max(1_024)
		.superRefine(checkDeliveryTarget)
		.optional()
		.meta({
			title: "Deliver to",
			description: "Folder or bucket that gets a copy, such as home:/models/fraud or s3://acme-models/fraud.",
			docs: "Folder or bucket that gets a copy, such as `home:/models/fraud` or `s3://acme-models/fraud`. See [delivery](results.md#delivery).",
			examples: ["home:/models/fraud"],
			defaultText: "not delivered",
		}),
	keep: duration()
		.optional()
		.meta({ title: "Keep", description: "How long the files are kept.", examples: ["30d"], defaultText: "until deleted" }),
});

function isDistinct(values: readonly (string | undefined)[]): boolean {
	const given = values.filter((one) => one !== undefined);
	return new Set(given).size === given.length;
}

const secretName = value.name().meta({ title: "Secret", description: "Name of a secret of the job's team.", examples: ["hf-token"] });

const secret = z
	.strictObject({
		name: secretName,
		env: envName.optional().meta({
			title: "Variable",
			description: "Environment variable that receives the value.",
			examples: ["HF_TOKEN"],
			defaultText: "none",
		}),
		file: secretFileName.optional().meta({
			title: "File",
			description: "File name in SPILLWAY_SECRETS_DIR that contains the value. Exactly one of env and file is required.",
			examples: ["hf-token"],
			defaultText: "none",
		}),
	})
	.superRefine(({ env, file }, ctx) => {
		if ((env === undefined) === (file === undefined))
			ctx.addIssue({ code: "custom", message: "needs either env or file: how the command receives the secret" });
	});

/** GPUs of a job, over all nodes. */
const allGpus = () => value.wholeNumber(1, JOB_LIMITS.nodes * JOB_LIMITS.gpusPerNode);

const scaling = z
	.strictObject({
		parallel: z
			.number("must be a number from 0 to 1")
			.min(0)
			.max(1)
			.optional()
			.meta({
				title: "Parallel share",
				description: "Amdahl's law: the share of the run time on the requested GPUs that k times the GPUs divide by k. Needs upTo.",
				examples: [0.97],
				defaultText: "none",
			}),
		curve: z
			.array(
				z.strictObject({
					gpus: allGpus().meta({ title: "GPUs", description: "All nodes together.", examples: [16] }),
					speed: z
						.number("must be a number such as 1.9")
						.positive()
						.max(1e9)
						.meta({ title: "Speed", description: "Measured work per hour, in the same unit for all points.", examples: [1.9] }),
				}),
			)
			.min(2)
			.max(32)
			.optional()
			.meta({
				title: "Measured curve",
				description: "Speed by number of GPUs. Exactly one of parallel and curve is required.",
				examples: [
					[
						{ gpus: 8, speed: 1 },
						{ gpus: 16, speed: 1.9 },
					],
				],
				defaultText: "none",
			}),
		upTo: allGpus()
			.optional()
			.meta({
				title: "Most GPUs",
				description: "The most GPUs that the job may use, all nodes together.",
				examples: [64],
				defaultText: "the largest of curve",
			}),
	})
	.superRefine(({ parallel, curve, upTo }, ctx) => {
		const add = (message: string): void => ctx.addIssue({ code: "custom", message });
		if ((parallel === undefined) === (curve === undefined)) add("needs exactly one of parallel and curve");
		else if (parallel !== undefined && upTo === undefined) add("needs upTo with parallel: the most GPUs that the job may use");
		if (curve && new Set(curve.map(({ gpus }) => gpus)).size < curve.length) add("has the same number of GPUs twice in curve");
	});

export const jobSpecSchema = z.strictObject({
	class: z
		.enum(WORKLOAD_CLASSES)
		.default("burst")
		.meta({
			title: "Class",
			description: "Workload class. Policies treat classes differently.",
			examples: ["burst"],
		}),
	image: value
		.line(512)
		.optional()
		.meta({
			title: "Image",
			description: "Container image. The local site runs the command without one.",
			docs: "Container image, used on Kubernetes, on Slurm through its container setting, and [on cloud instances](agent.md#containers). Without one, the command is a program installed on the machine.",
			examples: ["ghcr.io/acme/train:1.2"],
		}),
	command: z
		.array(value.text(JOB_LIMITS.partCharacters))
		.min(1)
		.max(JOB_LIMITS.commandParts)
		.meta({
			title: "Command",
			description: "Program and arguments. No shell is added.",
			docs: 'Program and arguments, at most 1,000. No shell is added: write `["bash", "-c", "…"]` to use one.',
			examples: [["python", "train.py", "--epochs", "10"]],
		}),
	env: z
		.record(envName, envValue)
		.refine((entries) => Object.keys(entries).length <= JOB_LIMITS.envEntries, `must have at most ${JOB_LIMITS.envEntries} entries`)
		.default({})
		.meta({
			title: "Environment",
			description: "Environment variables.",
			docs: "Environment variables, at most 200. Names are letters, digits and `_`. `SPILLWAY_*` and `CUDA_VISIBLE_DEVICES` are set by Spillway and rejected.",
			examples: [{ SEED: "7" }],
		}),
	secrets: z
		.array(secret)
		.max(SECRET_LIMITS.perJob)
		.refine((list) => isDistinct(list.map(({ env }) => env)), "has two secrets with the same env. Give each its own")
		.refine((list) => isDistinct(list.map(({ file }) => file)), "has two secrets with the same file. Give each its own")
		.default([])
		.meta({
			title: "Secrets",
			description: "Secrets of the team, as variables or files.",
			docs: "Secrets of the team, as variables or as files of `SPILLWAY_SECRETS_DIR`. See [secrets](secrets.md).",
			examples: [[{ name: "hf-token", env: "HF_TOKEN" }]],
		}),
	nodes: value
		.wholeNumber(1, JOB_LIMITS.nodes)
		.default(1)
		.meta({
			title: "Nodes",
			description: "Machines that start together.",
			docs: "Machines that start together, at most 256. See [several nodes](#several-nodes).",
			examples: [1],
		}),
	interconnect: z
		.enum(INTERCONNECTS)
		.default("any")
		.meta({
			title: "Interconnect",
			description: "high: several nodes start only where a high-bandwidth network connects them.",
			docs: "Network between the nodes. `high` starts several nodes only on machines with EFA, InfiniBand or Google's GPU networks, next to each other. See [interconnect](#interconnect).",
			examples: ["high"],
		}),
	resources: resources.prefault({}).meta({ title: "Resources", description: "GPUs, CPUs and memory on each node." }),
	throughput: z
		.record(value.line(64), z.number("must be a number such as 3.1: work per hour, in the same unit for all entries").positive().max(1e9))
		.refine((speeds) => Object.keys(speeds).length >= 1 && Object.keys(speeds).length <= 32, "must have 1 to 32 accelerators")
		.optional()
		.meta({
			title: "Throughput",
			description: "Relative speed by accelerator: work per hour, in the same unit for all entries.",
			docs: "Relative speed by accelerator, such as `{ H100-80GB: 3.1, A100-80GB: 1.6 }`: work per hour, in the same unit for all entries. [How speeds are estimated](decisions.md#speed-of-an-accelerator).",
			examples: [{ "H100-80GB": 3.1, "A100-80GB": 1.6 }],
			valueType: "accelerator: number",
			defaultText: "learned",
		}),
	scaling: scaling.optional().meta({
		title: "Scaling",
		description: "How the run time depends on the number of GPUs. Quotes suggest other sizes by it.",
		docs: "How the run time depends on the number of GPUs: `parallel` with `upTo`, or `curve`. [Quotes](forecast.md#a-quote) suggest larger sizes, and [plans](plan.md) replay them. The job itself runs on the GPUs that it requests.",
		examples: [{ parallel: 0.97, upTo: 64 }],
		defaultText: "none",
	}),
	duration: z
		.strictObject({
			estimate: duration()
				.optional()
				.meta({
					title: "Expected run time",
					description: "Expected run time. Improves forecasts.",
					examples: ["6h"],
					defaultText: "from past runs",
				}),
			max: duration()
				.optional()
				.meta({ title: "Maximum run time", description: "The job is stopped after this time.", examples: ["12h"] }),
		})
		.prefault({})
		.meta({ title: "Run time", description: "Expected and maximum run time." }),
	deadline: value
		.timestamp()
		.optional()
		.meta({
			title: "Deadline",
			description: "When the job must be finished. Requires a time zone.",
			docs: "When the job must be finished, with a time zone: `2026-12-01T08:00:00Z` or `…+01:00`.",
			examples: ["2026-12-01T08:00:00Z"],
		}),
	priority: value
		.wholeNumber(0, 100)
		.default(50)
		.meta({ title: "Priority", description: "0 to 100. Higher runs first.", examples: [50] }),
	critical: z
		.boolean()
		.default(false)
		.meta({
			title: "Critical",
			description: "Fails over to another site or region when its own stops responding.",
			docs: "[Fails over](policy.md#move-go-on-elsewhere-at-a-checkpoint) to another site when its owned site stops responding, and to another region when its cloud instance [stops responding](agent.md#the-lease-of-a-critical-job). Available to policies.",
			examples: [false],
		}),
	approvalAboveUsd: z
		.number()
		.min(0)
		.max(1e9)
		.optional()
		.meta({
			title: "Approval above",
			description: "Finance approves each cloud placement that is estimated to cost more.",
			docs: "[Finance approves](policy.md#require--approval--ask-a-person-first) each cloud placement that is estimated to cost more. 0 requires it for every one.",
			examples: [50],
			defaultText: "only policies require it",
			unit: "USD",
		}),
	notify: z
		.array(z.enum(WORK_EVENTS))
		.max(WORK_EVENTS.length)
		.optional()
		.meta({
			title: "Notify",
			description: "Events that are mailed to the submitter's address. An empty list turns them off.",
			docs: "Events that are [mailed to the submitter's address](notifications.md). An empty list turns them off.",
			examples: [["failed"]],
			defaultText: "the submitter's settings",
		}),
	checkpoint: checkpoint.optional().meta({
		title: "Checkpoint",
		description: "The job saves checkpoints and resumes from the latest one after an interruption.",
		examples: [{ path: "/checkpoints", interval: "15m" }],
	}),
	data: z
		.array(dataSetSchema)
		.max(JOB_LIMITS.dataRefs)
		.refine(
			(sets) => new Set(sets.map((set) => set.mount)).size === sets.length,
			"has two data sets with the same mount. Give each its own",
		)
		.default([])
		.meta({
			title: "Data",
			description: "Data sets that are copied to the job.",
			examples: [[{ uri: "s3://acme/claims", mount: "/data" }]],
		}),
	mounts: z
		.array(mountName)
		.max(MOUNTS_MAX)
		.refine((names) => isDistinct(names), "has the same mount twice. Remove one")
		.default([])
		.meta({
			title: "Mounts",
			description: "Existing file systems of the site, by name. Places without them are excluded.",
			docs: "Existing file systems of the site, by name. Places without them are excluded. `SPILLWAY_MOUNT_<NAME>` contains the path. See [mounts](data.md#mounts).",
			examples: [["imagenet"]],
			valueType: "list of text",
		}),
	outputs: z
		.array(output)
		.max(JOB_LIMITS.outputs)
		.refine(
			(outputs) => new Set(outputs.map((o) => outputVariable(o.name))).size === outputs.length,
			"has two outputs with the same name. Give each its own",
		)
		.default([])
		.meta({
			title: "Outputs",
			description: "Results that are uploaded when an attempt ends.",
			docs: "Results that are uploaded when an attempt ends. See [results](results.md).",
			examples: [[{ name: "model", path: "out/model", kind: "model" }]],
		}),
	metrics: z
		.array(
			value.line(200).superRefine((pattern, ctx) => {
				const problem = patternProblem(pattern);
				if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
			}),
		)
		.max(16)
		.default([])
		.meta({
			title: "Metrics",
			description: "Patterns of output lines that report metrics, such as step {step} loss={loss}; or json.",
			docs: "Patterns of output lines that report metrics: `{NAME}` is a number, `{step}` the step. `json` reads lines that are JSON objects. See [metrics](metrics.md).",
			examples: [["epoch {step} loss={loss}"]],
			valueType: "list of text",
		}),
});

export const metadataSchema = z.strictObject({
	name: value.name().meta({
		title: "Name",
		description: "1 to 63 letters, digits, dots, underscores or dashes.",
		docs: "1 to 63 letters, digits, `.`, `_` or `-`, starting and ending with a letter or digit.",
		examples: ["fraud-v7"],
	}),
	team: value.name().meta({
		title: "Team",
		description: "The team that pays.",
		docs: "The team that pays. Same characters as `name`.",
		examples: ["risk"],
	}),
	project: value
		.name()
		.optional()
		.meta({
			title: "Project",
			description: "Groups cost in reports.",
			docs: "Groups cost in reports. Same characters as `name`.",
			examples: ["fraud"],
		}),
	labels: z
		.record(value.name(), value.line(256).or(z.literal("")))
		.refine((labels) => Object.keys(labels).length <= JOB_LIMITS.labels, `must have at most ${JOB_LIMITS.labels} labels`)
		.default({})
		.meta({
			title: "Labels",
			description: "Available to policies and filters.",
			docs: "At most 64. Names as above, values of at most 256 characters. Available to policies.",
			examples: [{ pipeline: "nightly" }],
		}),
});

/** The document as people write it. Unknown fields are errors. */
export const jobDocumentSchema = z
	.strictObject({
		apiVersion: z.literal("spillway/v1").meta({ description: "Always spillway/v1." }),
		kind: z.literal("Job").meta({ description: "Always Job." }),
		metadata: metadataSchema.meta({ description: "Name, team, project and labels." }),
		spec: jobSpecSchema.meta({ description: "What to run and what it needs." }),
	})
	.meta({ title: "Spillway job", description: "A GPU job: what to run, what it needs and when it must finish." });
