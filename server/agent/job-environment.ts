import { outputVariable } from "#server/domain/output.ts";
import { mountVariable } from "#server/domain/site-mount.ts";

/** Folders in which a Unix system keeps its programs; /opt/homebrew is the usual place for more on macOS. */
const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin";

export interface JobEnvironmentInput {
	jobId: string;
	attemptNo: number;
	/** `spec.env` of the job. It may replace PATH, HOME, LANG and TMPDIR, but no variable that Spillway sets. */
	env: Readonly<Record<string, string>>;
	workFolder: string;
	checkpointFolder: string;
	/** Absolute path of each declared output, by name. */
	outputPaths?: Readonly<Record<string, string>>;
	/** Path of each mount, by name. */
	mountFolders?: Readonly<Record<string, string>>;
	tmpFolder: string;
	/** Folder of the secret files; undefined if there are none. */
	secretsFolder?: string | undefined;
	/** Numbers of the GPUs that the job may use. */
	gpus: readonly number[];
	/** Folder of a `node` that the job may use. */
	nodeFolder: string;
}

/**
 * The complete environment of a job. It never inherits this process's environment, which contains the server's or agent's
 * secrets.
 */
export function jobEnvironment(input: JobEnvironmentInput): Record<string, string> {
	return { PATH: `${input.nodeFolder}:${SYSTEM_PATH}`, HOME: input.workFolder, LANG: "C.UTF-8", ...containerEnvironment(input) };
}

/** Variables that a container gets in addition to its image's own environment, which sets the path and the home folder. */
export function containerEnvironment(input: Omit<JobEnvironmentInput, "nodeFolder">): Record<string, string> {
	return {
		TMPDIR: input.tmpFolder,
		...input.env,
		CUDA_VISIBLE_DEVICES: input.gpus.join(","),
		SPILLWAY_JOB_ID: input.jobId,
		SPILLWAY_ATTEMPT: String(input.attemptNo),
		SPILLWAY_WORK_DIR: input.workFolder,
		SPILLWAY_CHECKPOINT_DIR: input.checkpointFolder,
		...(input.secretsFolder !== undefined && { SPILLWAY_SECRETS_DIR: input.secretsFolder }),
		...Object.fromEntries(Object.entries(input.mountFolders ?? {}).map(([name, path]) => [mountVariable(name), path])),
		...Object.fromEntries(Object.entries(input.outputPaths ?? {}).map(([name, path]) => [outputVariable(name), path])),
	};
}

/**
 * Variables that let the commands of a gang find each other: the names that torchrun's users write (NNODES, NODE_RANK, …), those
 * that torchrun reads itself (PET_…, so that a plain `torchrun train.py` is enough; torch/distributed/run.py, `env`), and those
 * of `init_method="env://"`, which torchrun replaces for each of its processes. If a machine has one process, its rank is known
 * here too.
 */
export function gangEnvironment(gang: {
	/** A number, or a shell expression that the machine expands to one; likewise the port. */
	rank: number | string;
	nodes: number;
	master: { address: string; port: number | string };
	gpusPerNode: number;
}): Record<string, string> {
	const processes = Math.max(1, gang.gpusPerNode);
	const forTorchrun = {
		NNODES: String(gang.nodes),
		NODE_RANK: String(gang.rank),
		NPROC_PER_NODE: String(processes),
		MASTER_ADDR: gang.master.address,
		MASTER_PORT: String(gang.master.port),
	};
	return {
		...forTorchrun,
		...Object.fromEntries(Object.entries(forTorchrun).map(([name, value]) => [`PET_${name}`, value])),
		WORLD_SIZE: String(gang.nodes * processes),
		...(processes === 1 ? { RANK: String(gang.rank), LOCAL_RANK: "0" } : {}),
	};
}
