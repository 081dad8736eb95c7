import path from "node:path";
import { z } from "zod";
import { siteCacheSchema } from "#server/domain/site-cache.ts";
import { siteMountsSchema } from "#server/domain/site-mount.ts";

/** Names in Slurm's own configuration: partitions, accounts, GRES types. */
const slurmName = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, "must contain only letters, digits, _ . and -");
const absolutePath = z.string().refine((p) => path.isAbsolute(p), "must be an absolute path, the same on this host and on every node");

const slurmTokenSchema = z
	.string()
	.trim()
	// The output of `scontrol token`, with the name of its variable.
	.transform((token) => token.replace(/^SLURM_JWT=/, ""))
	.refine((token) => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token), "is not a JSON Web Token; create one with scontrol token");

export const slurmCredentialsSchema = z.strictObject({ token: slurmTokenSchema });

export const slurmSettingsSchema = z.strictObject({
	/** Address of slurmrestd, for example `http://slurm.example.com:6820`. */
	url: z.url({ protocol: /^https?$/ }),
	/** The user of the cluster that submits jobs. Spillway's scheduler runs as the same user, to share the folder. */
	user: z.string().min(1),
	/** Source of the user's token: a file that someone keeps current, a command that prints one, or the site's stored credentials. */
	token: z.union(
		[
			z.strictObject({ file: absolutePath }),
			z.strictObject({ command: z.array(z.string().min(1)).min(1) }),
			z.strictObject({ value: slurmTokenSchema }),
		],
		'{"file": "/an/absolute/path"}, or nothing with a stored token',
	),
	/**
	 * Folder on a file system that this host and the nodes share; one folder per site. It must exist: an unmounted one must not be
	 * taken for an empty one.
	 */
	folder: absolutePath,
	/** Our names for the cluster's GRES types: `{"h100": "H100-80GB"}`. `gpu` stands for GPUs without a type; others are ignored. */
	accelerators: z.record(slurmName, z.string().min(1)).refine((a) => Object.keys(a).length > 0, "must have at least one GRES type"),
	/** Partitions to use, the preferred first: a node in several of them counts in the first. Default: all that are up, by name. */
	partitions: z.array(slurmName).min(1).optional(),
	/** File in the format of rclone.conf with the remotes for data; default: the one of this Spillway. */
	dataRemotes: absolutePath.optional(),
	/** File systems that the nodes have mounted and that jobs request by name. */
	mounts: siteMountsSchema(["folder"]).default([]),
	/** Where fetched data is kept on this host, and how much. Default: in `folder`, by age. */
	cache: siteCacheSchema.optional(),
	account: slurmName.optional(),
	qos: slurmName.optional(),
	/** How a job's `image` is run. `none`: a job with an image is rejected. */
	container: z.enum(["none", "pyxis", "apptainer"]).default("none"),
	/**
	 * The cluster's own `scontrol`, which can read a job's script; slurmrestd cannot. With it, jobs of others can be adopted if the
	 * user is an operator of the cluster. Default: they are only reported.
	 */
	scontrol: z.array(z.string().min(1)).min(1).optional(),
	/**
	 * Minimum interval for reading the cluster's own queue. Slow listings are requested less often: for at most a twentieth of the
	 * time.
	 */
	queuePollMs: z.number().int().positive().default(1_000),
	/** Timeout of a call, after which its outcome is unknown. */
	answerTimeoutMs: z.number().int().positive().default(20_000),
	/** Intervals for querying a pending job, a running one, and the nodes. */
	pendingPollMs: z.number().int().positive().default(1_000),
	runningPollMs: z.number().int().positive().default(5_000),
	nodesPollMs: z.number().int().positive().default(5_000),
	/** How long the exit file of an ended job may stay invisible: network file systems show new files late. */
	exitSettleMs: z.number().int().nonnegative().default(30_000),
});
export type SlurmSettings = z.input<typeof slurmSettingsSchema>;
export type ParsedSlurmSettings = z.output<typeof slurmSettingsSchema>;
