import { z } from "zod";
import { CHECKPOINT_RANKS, CHECKPOINT_RESTORES } from "#server/domain/checkpoint.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { OUTPUT_KINDS, OUTPUT_MOMENTS } from "#server/domain/output.ts";
import { PREPARED_KINDS } from "#server/domain/preparation.ts";
import { MOUNT_TYPES } from "#server/domain/site-mount.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { identityDocumentSchema } from "./identity-document.ts";

/**
 * The agent protocol, below `/agent/v1`. The control plane parses requests strictly. The agent parses responses leniently, so
 * that an older agent works with a newer control plane. A change that would break old agents gets a new path.
 */
export const AGENT_PATH = "/agent/v1";

/** Limits on everything sent over the wire. */
export const AGENT_LIMITS = {
	logLinesPerCall: 1_000,
	/** UTF-8 bytes of text; its JSON may be up to six times as large. */
	logBytesPerCall: 256 * 1024,
	logLineCharacters: 32 * 1024,
	checkpointFiles: 10_000,
	checkpointFileBytes: 64 * 1024 ** 3,
	pathBytes: 1_024,
	bodyBytes: 4 * 1024 ** 2,
	/** Bytes of an artifact file per request: small enough for proxies, large enough to saturate a link. */
	artifactPartBytes: 64 * 1024 ** 2,
} as const;

const BASE64URL = /^[A-Za-z0-9_-]{16,128}$/;
/** Accepts reports from machines with a wrong clock: the control plane bounds the times it stores. */
const instant = z.number().int().min(0).max(8_640_000_000_000_000);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hex digits");

export const checkpointIdSchema = z.string().regex(/^ckp_[0-9a-z]{22,26}$/, "is not the id of a checkpoint");

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Longest file name that file systems accept. */
const PART_BYTES_MAX = 255;

/** Returns why a relative path may not be used below a checkpoint's folder, or null if it stays inside. */
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

/** Returns why files cannot share one folder, or null: a duplicate path, or a path that is both a file and a folder. */
export function fileListProblem(paths: readonly string[]): string | null {
	const files = new Set(paths);
	if (files.size < paths.length) return "must not name a file twice";
	for (const file of paths)
		for (let end = file.indexOf("/"); end > 0; end = file.indexOf("/", end + 1)) {
			const folder = file.slice(0, end);
			if (files.has(folder)) return `has ${JSON.stringify(folder)} as a file and as a folder`;
		}
	return null;
}

function fileListOf<T extends z.ZodType<{ path: string }>>(file: T) {
	const list = z.array(file).min(1).max(AGENT_LIMITS.checkpointFiles);
	return list.superRefine((files, ctx) => {
		const problem = fileListProblem(files.map(({ path }) => path));
		if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
	});
}

/** Where a machine exchanges files with its team's store: a temporary rclone remote that covers one folder. */
export const storeAccessSchema = z.object({ options: z.record(z.string(), z.string()), path: z.string() });
export type StoreAccess = z.infer<typeof storeAccessSchema>;

/** A file of a checkpoint in a store. `from`: the folder, below the job's, to which it was uploaded. */
export const shardFileSchema = checkpointFileSchema.extend({ from: relativePath });
export type ShardFile = z.infer<typeof shardFileSchema>;

/**
 * A complete checkpoint to resume from. With `store`, the parts of the ranks are there; otherwise `files` are at the control
 * plane.
 */
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
	/** From the machine's metadata service. */
	providerInstanceId: z.string().regex(/^[A-Za-z0-9._:/-]{1,128}$/, "is not a provider's instance id"),
	/** Secret random value that the agent generates at start. Identifies retries. */
	nonce: z.string().regex(BASE64URL, "must be 16 to 128 characters of base64url"),
	/** Address in the provider's network, from the metadata service. Absent if unavailable. */
	privateAddress: z.union([z.ipv4(), z.ipv6()]).optional(),
	/** Identity document signed by the provider. Absent if the metadata service has none. */
	identity: identityDocumentSchema.optional(),
});
export type EnrollRequest = z.infer<typeof enrollRequest>;

/** What a machine without a job fetches. `from`: address of the data set's copy near it. */
const prepareOrder = z.object({
	images: z.array(z.string()),
	data: z.array(z.object({ uri: z.string(), from: z.string(), sizeGiB: z.number().nullable() })),
});
export type PrepareOrder = z.infer<typeof prepareOrder>;

/** Answer to a machine without a job, which sends its enrollment until it has one. */
export const waitingAnswer = z.object({ assigned: z.boolean(), pollMs: z.number().int().min(10), prepare: prepareOrder.nullish() });
export type WaitingAnswer = z.infer<typeof waitingAnswer>;

/** One fetched image or data set, or why it could not be fetched. */
const preparedReport = z.strictObject({
	kind: z.enum(PREPARED_KINDS),
	name: z.string().min(1).max(2_048),
	bytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
	digest: z.string().max(200).nullable(),
	/** null: it is ready. */
	problem: z.string().min(1).max(500).nullable(),
});
export type PreparedReport = z.infer<typeof preparedReport>;

/** From a machine without a job. Everything fetched so far, so that a repeated or lost report changes nothing. */
export const preparedRequest = enrollRequest.extend({ items: z.array(preparedReport).min(1).max(64) });
export type PreparedRequest = z.infer<typeof preparedRequest>;

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
	mounts: z.array(z.string()).optional(),
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

/** An order to stop the command: SIGTERM, `graceMs`, SIGKILL. `reason` is a Spillway code; unknown codes are accepted. */
export const stopOrderSchema = z.object({ reason: z.string(), graceMs: z.number().min(0) });

/** Fields of every heartbeat and enrolment response. */
const orders = {
	stop: stopOrderSchema.nullable(),
	/** The control plane has ended the attempt: stop everything immediately and save nothing. */
	over: z.boolean(),
	expiresAtMs: instant,
	/** The control plane's clock. The agent follows it. */
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
	/** Pause the command when no heartbeat was answered for this long. null: never pause. */
	leaseMs: z.number().int().min(100).nullish(),
	checkpoint: restorableSchema.nullable(),
	/** Save the final checkpoint folder even after success, because its files are needed. */
	keepsEnd: z.boolean().default(false),
	/** Values of the job's secrets. Kept only in memory and in private files. */
	secrets: z.object({ env: z.record(z.string(), z.string()), files: z.record(z.string(), z.string()) }).default({ env: {}, files: {} }),
	/** Why the secrets cannot be delivered. Ends the attempt. */
	secretProblem: z.string().nullish(),
	/** The operator's data remotes that this job needs, with credentials. Kept only in memory. */
	dataRemotes: z.record(z.string(), z.record(z.string(), z.string())).default({}),
	/** The site's file systems, for a job that requests some. */
	mounts: z.array(z.object({ name: z.string(), type: z.enum(MOUNT_TYPES), source: z.string(), readOnly: z.boolean() })).default([]),
	/** This machine's rank and the gang's size. null for a single-machine attempt. */
	gang: z.object({ rank: z.number().int().min(0), nodes: z.number().int().min(2) }).nullish(),
	...orders,
});
export type EnrollAnswer = z.infer<typeof enrollAnswer>;

// --- gang -----------------------------------------------------------------------------------------------------------

/** Reports that this rank of the gang is ready. Repeated until the response contains the rendezvous. */
export const stagedRequest = z.strictObject({
	/** The restored checkpoint. All ranks must resume from the same one. */
	restored: checkpointIdSchema.nullish(),
});
export type StagedRequest = z.infer<typeof stagedRequest>;

/** `master`: address of rank 0, set once all machines are ready. `restore`: resume from this checkpoint instead. */
export const stagedAnswer = z.object({
	restore: restorableSchema.nullish(),
	master: z.object({ address: z.string().min(1), port: z.number().int().min(1).max(65_535) }).nullable(),
	/** Variables of the machine's kind that depend on its peers, such as those of a TPU slice. */
	environment: z.record(z.string(), z.string()).default({}),
});
export type StagedAnswer = z.infer<typeof stagedAnswer>;

// --- heartbeat ------------------------------------------------------------------------------------------------------

export const AGENT_PHASES = ["enrolling", "staging", "running", "stopping", "saving", "reporting", "off"] as const;
export type AgentPhase = (typeof AGENT_PHASES)[number];

/** The provider announced that it reclaims the machine at this time. */
const notice = z.strictObject({ atMs: instant });

/** GPU use of the machine in one UTC minute: mean utilization, and total power where the driver reports it. */
const gpuMinute = z.strictObject({
	minuteMs: instant,
	gpus: z.number().int().min(1).max(64),
	utilisationPermille: z.number().int().min(0).max(1_000),
	milliwatts: z.number().int().min(0).max(1_000_000_000).nullable(),
});
export type GpuMinute = z.infer<typeof gpuMinute>;

/** Limits on minutes per heartbeat, and on minutes an agent keeps while it cannot report. */
export const GPU_MINUTES_PER_BEAT = 60;
export const GPU_MINUTES_KEPT = 24 * 60;

export const heartbeatRequest = z.strictObject({
	phase: z.enum(AGENT_PHASES),
	notice: notice.optional(),
	gpuMinutes: z.array(gpuMinute).max(GPU_MINUTES_PER_BEAT).optional(),
	/** Pause the command this long after this heartbeat unless it or a later one is answered. Absent: no lease. */
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
/** `stored`: number of the newest stored line. `full`: no further lines are accepted. */
export const logsAnswer = z.object({ stored: z.number().int().min(0), full: z.boolean() });
export type LogsAnswer = z.infer<typeof logsAnswer>;

// --- reports --------------------------------------------------------------------------------------------------------

/** Bytes fetched of each data set, in the job's order. Absent: nothing was fetched. */
const readBytes = z.array(z.number().int().nonnegative()).max(1_000).optional();

export const runningRequest = z.strictObject({ atMs: instant, readBytes });
export type RunningRequest = z.infer<typeof runningRequest>;

export const exitSchema = z.strictObject({
	code: nullableInt,
	signal: z.string().max(32).nullable(),
	error: z.string().max(2_000).nullable(),
	failedAt: z.enum(["staging", "image", "start"]).optional(),
	outOfMemory: z.boolean().optional(),
	unkept: z.string().max(500).optional(),
	outputProblem: z.string().max(500).optional(),
});

/** Why the agent stopped the command without an order. `signalled`: the machine shut down. */
export const OWN_STOP_CAUSES = ["notice", "expired", "control_silent", "signalled"] as const;

export const exitedRequest = z.strictObject({
	exit: exitSchema,
	atMs: instant,
	stoppedBy: z.enum(OWN_STOP_CAUSES).optional(),
	notice: notice.optional(),
	readBytes,
});
export type ExitedRequest = z.infer<typeof exitedRequest>;

export const doneAnswer = z.object({});

// --- checkpoints ----------------------------------------------------------------------------------------------------

/** The control plane assigns the checkpoint id before the upload, so that ids are ordered by one clock. */
export const newCheckpointRequest = z.strictObject({
	/** The step that all ranks of a gang save together, if all of them save. */
	step: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});
export type NewCheckpointRequest = z.infer<typeof newCheckpointRequest>;

/** With `store`, files are uploaded there below the job's `folder`, and only the manifest is sent to the control plane. */
export const newCheckpointAnswer = z.object({
	id: checkpointIdSchema,
	store: z.object({ access: storeAccessSchema, folder: relativePath }).optional(),
});
export type NewCheckpointAnswer = z.infer<typeof newCheckpointAnswer>;

export const commitShardRequest = z.strictObject({ shards: fileListOf(shardFileSchema) });
/** `complete`: the parts of all ranks are stored. */
export const commitShardAnswer = z.object({ complete: z.boolean() });

/** A checkpoint could not be restored completely. The response contains the one before it. */
export const brokenCheckpointRequest = z.strictObject({ problem: z.string().min(1).max(500) });
export const brokenCheckpointAnswer = z.object({ next: restorableSchema.nullable() });
/** Header of each uploaded file. */
export const SHA256_HEADER = "x-spillway-sha256";
export const commitRequest = z.strictObject({ files: fileListOf(checkpointFileSchema) });

// --- artifacts ------------------------------------------------------------------------------------------------------

/** Artifact id for one output of an attempt. Derived, so that a repeated upload resumes the first. */
export const artifactIdSchema = z.string().regex(/^art_[0-9a-z]{22,26}_\d{3}_\d{2}$/, "is not the id of an artifact");
/** Byte at which the body of an uploaded part begins in its file. */
export const OFFSET_HEADER = "x-spillway-offset";

export const beginArtifactRequest = z.strictObject({
	/** Name of one of the job's outputs. */
	name: z.string().min(1).max(63),
	files: fileListOf(checkpointFileSchema),
});
export type BeginArtifactRequest = z.infer<typeof beginArtifactRequest>;

/** `received`: bytes already stored of each file, in request order. `complete`: nothing left to upload. */
export const beginArtifactAnswer = z.object({
	id: artifactIdSchema,
	received: z.array(z.number().int().min(0)),
	complete: z.boolean(),
	/** The team's store. Files are uploaded there, and only the commit is sent to the control plane. */
	store: storeAccessSchema.optional(),
});
export type BeginArtifactAnswer = z.infer<typeof beginArtifactAnswer>;

/** Files of an artifact that the job uses as input data. */
export const artifactFilesAnswer = z.object({ files: z.array(checkpointFileSchema), store: storeAccessSchema.optional() });
export type ArtifactFilesAnswer = z.infer<typeof artifactFilesAnswer>;

/** `bytes`: stored bytes of the file, where the next part starts. */
export const artifactPartAnswer = z.object({ bytes: z.number().int().min(0) });

/** Request bodies, by the last segment of the path. */
export const AGENT_REQUESTS = {
	enroll: enrollRequest,
	waiting: enrollRequest,
	prepared: preparedRequest,
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

/** RFC 9457. Only a response of this form is a permanent rejection; any other may come from a proxy and is retried. */
export const problemSchema = z.object({ title: z.string(), detail: z.string(), status: z.number(), code: z.string() });
export type Problem = z.infer<typeof problemSchema>;
