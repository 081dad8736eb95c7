import { z } from "zod";
import { CHECKPOINT_RANKS, CHECKPOINT_RESTORES } from "#server/domain/checkpoint.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { OUTPUT_KINDS, OUTPUT_MOMENTS } from "#server/domain/output.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { identityDocumentSchema } from "./identity-document.ts";

/**
 * What agent and control plane say to each other below `/agent/v1`. The control plane parses requests strictly; the agent
 * parses answers leniently, so that one that is still out there understands a newer control plane. A change that an old
 * agent could not bear gets a new path.
 */
export const AGENT_PATH = "/agent/v1";

/** Everything that crosses the wire has a bound. */
export const AGENT_LIMITS = {
	logLinesPerCall: 1_000,
	/** UTF-8 bytes of text; JSON may need up to six times as many. */
	logBytesPerCall: 256 * 1024,
	logLineCharacters: 32 * 1024,
	checkpointFiles: 10_000,
	checkpointFileBytes: 64 * 1024 ** 3,
	pathBytes: 1_024,
	bodyBytes: 4 * 1024 ** 2,
	/** Of an artifact's file, one request: short enough for proxies, long enough to fill a link. */
	artifactPartBytes: 64 * 1024 ** 2,
} as const;

const BASE64URL = /^[A-Za-z0-9_-]{16,128}$/;
/** A wrong clock is no reason to refuse a report: the control plane bounds what it stores. */
const instant = z.number().int().min(0).max(8_640_000_000_000_000);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hex digits");

export const checkpointIdSchema = z.string().regex(/^ckp_[0-9a-z]{22,26}$/, "is not the id of a checkpoint");

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;

/** What file systems take as the name of a file. */
const PART_BYTES_MAX = 255;

/** Why a relative path may not be used below a checkpoint's folder, or null when it stays inside. */
export function pathProblem(path: string): string | null {
	if (path === "" || new TextEncoder().encode(path).length > AGENT_LIMITS.pathBytes)
		return `must have 1 to ${AGENT_LIMITS.pathBytes} bytes`;
	if (CONTROL.test(path)) return "must not contain control characters";
	const parts = path.split("/");
	if (parts.some((p) => new TextEncoder().encode(p).length > PART_BYTES_MAX))
		return `must have at most ${PART_BYTES_MAX} bytes between slashes`;
	return parts.some((p) => p === "" || p === "." || p === "..") ? 'must be relative, without empty parts, "." and ".."' : null;
}

export const relativePath = z.string().superRefine((path, ctx) => {
	const problem = pathProblem(path);
	if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
});

export const checkpointFileSchema = z.strictObject({
	path: relativePath,
	bytes: z.number().int().min(0).max(AGENT_LIMITS.checkpointFileBytes),
	sha256,
});
export type CheckpointFile = z.infer<typeof checkpointFileSchema>;

/** Where a machine exchanges files with its team's store: an rclone remote that covers one folder, for a while. */
export const storeAccessSchema = z.object({ options: z.record(z.string(), z.string()), path: z.string() });
export type StoreAccess = z.infer<typeof storeAccessSchema>;

/** A file of a checkpoint in a store. `from`: the folder, below the job's, where it was uploaded. */
export const shardFileSchema = checkpointFileSchema.extend({ from: relativePath });
export type ShardFile = z.infer<typeof shardFileSchema>;

/** A complete checkpoint to begin from. With `store`, the parts of the ranks are there; else `files` are at the control plane. */
export const restorableSchema = z.object({
	id: checkpointIdSchema,
	files: z.array(checkpointFileSchema),
	step: z.number().int().nullish(),
	store: z
		.object({ access: storeAccessSchema, parts: z.array(z.object({ rank: z.number().int().min(0), files: z.array(shardFileSchema) })) })
		.optional(),
});
export type Restorable = z.infer<typeof restorableSchema>;

// --- enroll ---------------------------------------------------------------------------------------------------------

export const enrollRequest = z.strictObject({
	instanceId: z.string().regex(/^ins_[0-9a-z_]{1,80}$/, "is not the id of an instance"),
	bootstrapSecret: z.string().regex(BASE64URL, "is not a bootstrap secret"),
	/** As the machine's metadata service says. */
	providerInstanceId: z.string().regex(/^[A-Za-z0-9._:/-]{1,128}$/, "is not a provider's instance id"),
	/** Drawn by the agent when it starts and kept secret: identifies a retry. */
	nonce: z.string().regex(BASE64URL, "must be 16 to 128 characters of base64url"),
	/** Its address within the provider's network, as the metadata service says; left out when it does not. */
	privateAddress: z.union([z.ipv4(), z.ipv6()]).optional(),
	/** What the provider signed for the machine; left out when its metadata service gives nothing of the kind. */
	identity: identityDocumentSchema.optional(),
});
export type EnrollRequest = z.infer<typeof enrollRequest>;

const nullableInt = z.int32().nullable();

/** The spec as the control plane stores it. */
const jobSpec: z.ZodType<JobSpec> = z.object({
	name: z.string(),
	team: z.string(),
	project: z.string().nullable(),
	labels: z.record(z.string(), z.string()),
	class: z.enum(WORKLOAD_CLASSES),
	image: z.string().nullable(),
	command: z.array(z.string()).min(1),
	env: z.record(z.string(), z.string()),
	nodes: z.number().int().min(1),
	resources: z.object({
		gpus: z.number().int().min(0),
		accelerators: z.array(z.string()),
		cpus: nullableInt,
		memoryGiB: z.number().nullable(),
	}),
	duration: z.object({ estimateMs: z.number().nullable(), maxMs: z.number().nullable() }),
	deadlineMs: z.number().nullable(),
	priority: z.number(),
	critical: z.boolean(),
	checkpoint: z
		.object({
			path: z.string(),
			intervalMs: z.number().positive(),
			keep: z.number().int().min(1).optional(),
			ranks: z.enum(CHECKPOINT_RANKS).optional(),
			restore: z.enum(CHECKPOINT_RESTORES).optional(),
		})
		.nullable(),
	data: z.array(z.object({ uri: z.string(), sizeGiB: z.number().nullable(), mount: z.string(), residency: z.array(z.string()) })),
	outputs: z
		.array(
			z.object({
				name: z.string(),
				path: z.string(),
				kind: z.enum(OUTPUT_KINDS),
				when: z.enum(OUTPUT_MOMENTS),
				keepMs: z.number().nullable(),
				to: z.string().optional(),
			}),
		)
		.optional(),
});

/** An order to end the command: SIGTERM, `graceMs`, SIGKILL. The code is one of Spillway's; a newer one is accepted as is. */
export const stopOrderSchema = z.object({ reason: z.string(), graceMs: z.number().min(0) });

/** What every beat and the enrolment contain. */
const orders = {
	stop: stopOrderSchema.nullable(),
	/** The attempt is over for the control plane: end everything at once, nothing of it is wanted any more. */
	over: z.boolean(),
	expiresAtMs: instant,
	/** The control plane's clock, which the agent goes by. */
	nowMs: instant,
};

export const enrollAnswer = z.object({
	token: z.string().min(1),
	attemptId: z.string(),
	jobId: z.string(),
	attemptNo: z.number().int().min(1),
	spec: jobSpec,
	heartbeatMs: z.number().int().min(10),
	stopGraceMs: z.number().int().min(0),
	controlSilenceMs: z.number().int().min(100),
	/** The command must be still while no beat was answered for so long; null: it runs on. */
	leaseMs: z.number().int().min(100).nullish(),
	checkpoint: restorableSchema.nullable(),
	/** The checkpoint folder is wanted as the command left it even if it succeeded: somebody waits for its files. */
	keepsEnd: z.boolean().default(false),
	/** Values of the job's secrets; kept in memory and private files alone. */
	secrets: z.object({ env: z.record(z.string(), z.string()), files: z.record(z.string(), z.string()) }).default({ env: {}, files: {} }),
	/** Why the secrets cannot be delivered: the attempt ends with it. */
	secretProblem: z.string().nullish(),
	/** Of the operator's data remotes those that this job's data need, with their credentials; kept in memory alone. */
	dataRemotes: z.record(z.string(), z.record(z.string(), z.string())).default({}),
	/** Which machine of how many it is; null when it is all of the attempt. */
	gang: z.object({ rank: z.number().int().min(0), nodes: z.number().int().min(2) }).nullish(),
	...orders,
});
export type EnrollAnswer = z.infer<typeof enrollAnswer>;

// --- gang -----------------------------------------------------------------------------------------------------------

/** The machine's rank of a gang is ready: repeated until the answer contains the rendezvous. */
export const stagedRequest = z.strictObject({
	/** The checkpoint that it restored. All ranks must begin from the same one. */
	restored: checkpointIdSchema.nullish(),
});

export type StagedRequest = z.infer<typeof stagedRequest>;

/** `master`: all machines are ready, and rank 0 must be reached there; null: not all are. `restore`: begin from this one instead. */
export const stagedAnswer = z.object({
	restore: restorableSchema.nullish(),
	master: z.object({ address: z.string().min(1), port: z.number().int().min(1).max(65_535) }).nullable(),
});
export type StagedAnswer = z.infer<typeof stagedAnswer>;

// --- heartbeat ------------------------------------------------------------------------------------------------------

export const AGENT_PHASES = ["enrolling", "staging", "running", "stopping", "saving", "reporting", "off"] as const;
export type AgentPhase = (typeof AGENT_PHASES)[number];

/** The provider said that it takes the machine at this time. */
const notice = z.strictObject({ atMs: instant });

/** What the GPUs of the machine did in one UTC minute: mean use, and total power where the driver reports it. */
const gpuMinute = z.strictObject({
	minuteMs: instant,
	gpus: z.number().int().min(1).max(64),
	utilisationPermille: z.number().int().min(0).max(1_000),
	milliwatts: z.number().int().min(0).max(1_000_000_000).nullable(),
});
export type GpuMinute = z.infer<typeof gpuMinute>;

/** Most minutes in one beat, and kept by an agent while it cannot report. */
export const GPU_MINUTES_PER_BEAT = 60;
export const GPU_MINUTES_KEPT = 24 * 60;

export const heartbeatRequest = z.strictObject({
	phase: z.enum(AGENT_PHASES),
	notice: notice.optional(),
	gpuMinutes: z.array(gpuMinute).max(GPU_MINUTES_PER_BEAT).optional(),
	/** The command is paused this long after this beat unless it, or a later one, is answered. Absent: no lease. */
	leaseMs: z.number().int().min(100).max(86_400_000).optional(),
});
export type HeartbeatRequest = z.infer<typeof heartbeatRequest>;
export const heartbeatAnswer = z.object(orders);
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswer>;

// --- logs -----------------------------------------------------------------------------------------------------------

export const logLineSchema = z.strictObject({
	atMs: instant,
	stream: z.enum(["stdout", "stderr", "spillway"]),
	text: z.string().max(AGENT_LIMITS.logLineCharacters),
});
export type AgentLogLine = z.infer<typeof logLineSchema>;

/** `firstNumber` counts the attempt's lines from 1, without gaps. */
export const logsRequest = z.strictObject({
	firstNumber: z.number().int().min(1),
	lines: z.array(logLineSchema).min(1).max(AGENT_LIMITS.logLinesPerCall),
});
export type LogsRequest = z.infer<typeof logsRequest>;
/** `stored`: number of the newest stored line. `full`: no more are taken, whatever comes. */
export const logsAnswer = z.object({ stored: z.number().int().min(0), full: z.boolean() });
export type LogsAnswer = z.infer<typeof logsAnswer>;

// --- reports --------------------------------------------------------------------------------------------------------

export const runningRequest = z.strictObject({ atMs: instant });

export const exitSchema = z.strictObject({
	code: nullableInt,
	signal: z.string().max(32).nullable(),
	error: z.string().max(2_000).nullable(),
	failedAt: z.enum(["staging", "image", "start"]).optional(),
	outOfMemory: z.boolean().optional(),
	unkept: z.string().max(500).optional(),
	outputProblem: z.string().max(500).optional(),
});

/** Why the agent itself ended the command, when the control plane may not know yet. `signalled`: the machine shut down. */
export const OWN_STOP_CAUSES = ["notice", "expired", "control_silent", "signalled"] as const;

export const exitedRequest = z.strictObject({
	exit: exitSchema,
	atMs: instant,
	stoppedBy: z.enum(OWN_STOP_CAUSES).optional(),
	notice: notice.optional(),
});
export type ExitedRequest = z.infer<typeof exitedRequest>;

export const doneAnswer = z.object({});

// --- checkpoints ----------------------------------------------------------------------------------------------------

/** The control plane names a checkpoint before its files come, so that names sort by one clock. */
export const newCheckpointRequest = z.strictObject({
	/** Of a gang where all ranks save: the step that they save together. */
	step: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});
export type NewCheckpointRequest = z.infer<typeof newCheckpointRequest>;

/** With `store`, files go there, below `folder` of the job's, and only the manifest comes to the control plane. */
export const newCheckpointAnswer = z.object({
	id: checkpointIdSchema,
	store: z.object({ access: storeAccessSchema, folder: relativePath }).optional(),
});
export type NewCheckpointAnswer = z.infer<typeof newCheckpointAnswer>;

export const commitShardRequest = z.strictObject({ shards: z.array(shardFileSchema).min(1).max(AGENT_LIMITS.checkpointFiles) });
/** `complete`: the parts of all ranks are there. */
export const commitShardAnswer = z.object({ complete: z.boolean() });

/** A checkpoint could not be restored whole; the answer is the one before it. */
export const brokenCheckpointRequest = z.strictObject({ problem: z.string().min(1).max(500) });
export const brokenCheckpointAnswer = z.object({ next: restorableSchema.nullable() });
/** Header of each uploaded file. */
export const SHA256_HEADER = "x-spillway-sha256";
export const commitRequest = z.strictObject({ files: z.array(checkpointFileSchema).min(1).max(AGENT_LIMITS.checkpointFiles) });

// --- artifacts ------------------------------------------------------------------------------------------------------

/** The id of the artifact that an attempt uploads for one output: derived, so that a repeated upload continues the first. */
export const artifactIdSchema = z.string().regex(/^art_[0-9a-z]{22,26}_\d{3}_\d{2}$/, "is not the id of an artifact");
/** Byte at which the body of an uploaded part begins in its file. */
export const OFFSET_HEADER = "x-spillway-offset";

export const beginArtifactRequest = z.strictObject({
	/** Of one of the job's outputs. */
	name: z.string().min(1).max(63),
	files: z.array(checkpointFileSchema).min(1).max(AGENT_LIMITS.checkpointFiles),
});
export type BeginArtifactRequest = z.infer<typeof beginArtifactRequest>;

/** `received`: bytes of each file, in the order of the request, that need not be sent again. `complete`: nothing is left to do. */
export const beginArtifactAnswer = z.object({
	id: artifactIdSchema,
	received: z.array(z.number().int().min(0)),
	complete: z.boolean(),
	/** The team's store: files go there, and only the commit comes to the control plane. */
	store: storeAccessSchema.optional(),
});
export type BeginArtifactAnswer = z.infer<typeof beginArtifactAnswer>;

/** The files of a result that is data of the job. */
export const artifactFilesAnswer = z.object({ files: z.array(checkpointFileSchema), store: storeAccessSchema.optional() });
export type ArtifactFilesAnswer = z.infer<typeof artifactFilesAnswer>;

/** `bytes` of the file that are stored now: where the next part begins. */
export const artifactPartAnswer = z.object({ bytes: z.number().int().min(0) });

/** Bodies of the calls that have one, by the last part of their path. */
export const AGENT_REQUESTS = {
	enroll: enrollRequest,
	heartbeat: heartbeatRequest,
	logs: logsRequest,
	staged: stagedRequest,
	running: runningRequest,
	exited: exitedRequest,
	checkpoints: newCheckpointRequest,
	shards: commitShardRequest,
	broken: brokenCheckpointRequest,
	commit: commitRequest,
	artifacts: beginArtifactRequest,
};

// --- errors ---------------------------------------------------------------------------------------------------------

/** RFC 9457. Only an answer of this form refuses permanently; anything else may come from a proxy and is asked again. */
export const problemSchema = z.object({ title: z.string(), detail: z.string(), status: z.number(), code: z.string() });
export type Problem = z.infer<typeof problemSchema>;
