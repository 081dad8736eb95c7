import { mkdir } from "node:fs/promises";
import path from "node:path";
import { mountPathOf } from "#server/domain/site-mount.ts";
import { containerEnvironment, jobEnvironment } from "./job-environment.ts";
import type { MountedFolder } from "./mount-file-systems.ts";
import { createOutputFolders, outputPathsOf } from "./output-files.ts";
import type { PreparedData } from "./prepare/prepared-data.ts";
import type { EnrollAnswer } from "./protocol.ts";
import { rcloneOfInstance } from "./rclone/find.ts";
import { createFolderInside, placeUnder } from "./safe-path.ts";
import { writeSecretFiles } from "./secret-files.ts";
import { stageData } from "./stage.ts";

export interface PreparedJob {
	workFolder: string;
	/** Data kept for the next attempt; null if the job keeps nothing. */
	checkpointFolder: string | null;
	/** Environment of the command. In a container it is added to the image's environment. */
	environment: Record<string, string>;
	/** Folders of the job, and the paths at which the job file expects them. Only a container can mount them there. */
	mounts: { source: string; target: string; readOnly?: boolean }[];
}

/** `folder`: of prepareJob. */
export function workFolderIn(folder: string): string {
	return path.join(folder, "work");
}

/**
 * Creates the job's folders and stages its data.
 * @throws StagingError; AbortError if the signal is aborted first
 */
export async function prepareJob(options: {
	folder: string;
	terms: Pick<EnrollAnswer, "jobId" | "attemptNo" | "spec" | "dataRemotes" | "secrets">;
	inContainer: boolean;
	/** Mounted file systems of the site. Undefined if there are none. */
	fileSystems?: readonly MountedFolder[];
	fetchArtifact?: (id: string, target: string) => Promise<void>;
	onRead?: (index: number, bytes: number) => void;
	/** Data that the machine fetched while it had no job. */
	prepared?: PreparedData | null;
	signal: AbortSignal;
	log(text: string): void;
}): Promise<PreparedJob> {
	const { spec, jobId, attemptNo } = options.terms;
	const { fileSystems = [] } = options;
	const workFolder = workFolderIn(options.folder);
	const tmpFolder = path.join(options.folder, "tmp");
	for (const folder of [workFolder, tmpFolder]) await mkdir(folder, { recursive: true, mode: 0o700 });
	const { signal, log, fetchArtifact, onRead } = options;
	// The machine runs only this attempt: a copy of what it fetches now would never be used again.
	const cache = options.prepared ?? null;
	await cache?.keepOnly(spec.data.map(({ uri }) => uri));
	const fetching = { remotes: options.terms.dataRemotes, rclone: () => rcloneOfInstance(log, signal), ownHost: false, cache, log };
	await stageData(spec.data, {
		workFolder,
		place: "a cloud instance",
		fetching,
		signal,
		...(fetchArtifact && { fetchArtifact }),
		...(onRead && { onRead }),
	});
	const checkpointFolder = placeUnder(workFolder, spec.checkpoint?.path ?? "checkpoints");
	await createFolderInside(workFolder, checkpointFolder);
	await createOutputFolders(workFolder, spec.outputs);
	const { secrets } = options.terms;
	const secretsFolder = await writeSecretFiles(path.join(options.folder, "secrets"), secrets.files);
	const input = {
		jobId,
		attemptNo,
		env: { ...spec.env, ...secrets.env },
		workFolder,
		checkpointFolder,
		outputPaths: outputPathsOf(workFolder, spec.outputs),
		mountFolders: Object.fromEntries(fileSystems.map(({ name, folder }) => [name, options.inContainer ? mountPathOf(name) : folder])),
		tmpFolder,
		secretsFolder,
		gpus: Array.from({ length: spec.resources.gpus }, (_, i) => i),
	};
	const environment = options.inContainer
		? containerEnvironment(input)
		: jobEnvironment({ ...input, nodeFolder: path.dirname(process.execPath) });
	const outputs = spec.outputs ?? [];
	const named = [
		...spec.data.map((d) => d.mount),
		...(spec.checkpoint === null ? [] : [spec.checkpoint.path]),
		...outputs.map((o) => o.path),
	];
	const wanted = named.filter(path.isAbsolute);
	const mounts: PreparedJob["mounts"] = [...new Set(wanted)].map((target) => ({ source: placeUnder(workFolder, target), target }));
	mounts.push(...fileSystems.map(({ name, folder, readOnly }) => ({ source: folder, target: mountPathOf(name), readOnly })));
	mounts.push(
		...[workFolder, tmpFolder, ...(secretsFolder === undefined ? [] : [secretsFolder])].map((folder) => ({
			source: folder,
			target: folder,
		})),
	);
	return { workFolder, checkpointFolder: spec.checkpoint === null ? null : checkpointFolder, environment, mounts };
}
