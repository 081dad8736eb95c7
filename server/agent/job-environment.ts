/** Folders in which a Unix system keeps its programs; /opt/homebrew is macOS's usual place for more of them. */
const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin";

export interface JobEnvironmentInput {
	jobId: string;
	attemptNo: number;
	/** `spec.env` of the job. It may replace PATH, HOME, LANG and TMPDIR, but nothing that Spillway sets. */
	env: Readonly<Record<string, string>>;
	workFolder: string;
	checkpointFolder: string;
	tmpFolder: string;
	/** Numbers of the GPUs that the job may use. */
	gpus: readonly number[];
	/** Folder of a `node` that the job may call. */
	nodeFolder: string;
}

/**
 * The whole environment of a job. Built from nothing, never from this process's own environment, which holds the
 * server's or agent's secrets.
 */
export function jobEnvironment(input: JobEnvironmentInput): Record<string, string> {
	return {
		PATH: `${input.nodeFolder}:${SYSTEM_PATH}`,
		HOME: input.workFolder,
		LANG: "C.UTF-8",
		TMPDIR: input.tmpFolder,
		...input.env,
		CUDA_VISIBLE_DEVICES: input.gpus.join(","),
		SPILLWAY_JOB_ID: input.jobId,
		SPILLWAY_ATTEMPT: String(input.attemptNo),
		SPILLWAY_WORK_DIR: input.workFolder,
		SPILLWAY_CHECKPOINT_DIR: input.checkpointFolder,
	};
}
