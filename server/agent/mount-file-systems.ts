import { execFile } from "node:child_process";
import { access, mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { mountPathOf, type SiteMount, sourceFormOf } from "#server/domain/site-mount.ts";
import { aptInstall } from "./apt.ts";
import { folderProblem, requestedOn } from "./mount-folders.ts";
import { StagingError } from "./safe-path.ts";

const execute = promisify(execFile);

/** Longer than the two minutes for which mount.nfs retries an unreachable server. */
const MOUNT_TIMEOUT_MS = 180_000;

/** A mount of a cloud instance. */
export interface MountedFolder {
	name: string;
	/** Path on the machine. */
	folder: string;
	readOnly: boolean;
}

export interface MountOptions {
	signal: AbortSignal;
	log(text: string): void;
	/**
	 * Runs a program of the machine.
	 * @throws Error with its output
	 */
	run?(program: string, args: readonly string[], signal: AbortSignal): Promise<unknown>;
	/** Installs the NFS client. */
	install?(packages: readonly string[], signal: AbortSignal): Promise<void>;
	/** Folder that contains /mnt and /sbin. */
	root?: string;
}

/**
 * Mounts the file systems that a job requests, before anything else is staged. They stay mounted until the machine ends.
 * @throws StagingError naming the mount that failed; the signal's reason
 */
export async function mountFileSystems(
	names: readonly string[] | undefined,
	mounts: readonly SiteMount[],
	options: MountOptions,
): Promise<MountedFolder[]> {
	const done: MountedFolder[] = [];
	for (const mount of requestedOn(names, mounts, "this site")) {
		const { name, source, readOnly } = mount;
		if (sourceFormOf(source) === "folder") {
			const problem = await folderProblem(source);
			if (problem !== null)
				throw new StagingError(`mount ${name} is not available on this instance: ${problem}. Use a machine image that includes it`);
			done.push({ name, folder: source, readOnly });
		} else done.push({ name, folder: await mountExport(mount, options), readOnly });
	}
	return done;
}

async function mountExport(mount: SiteMount, options: MountOptions): Promise<string> {
	const { signal, log, root = "/", run = runProgram } = options;
	const { name, source } = mount;
	const folder = path.join(root, mountPathOf(name));
	try {
		if (mount.type !== "lustre") await findNfsClient(options);
		await mkdir(folder, { recursive: true });
		await run("mount", mountArguments(mount, folder), signal);
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof StagingError) throw error;
		throw new StagingError(`mount ${name} failed: could not mount ${source}: ${outputOf(error)}. ${hintOf(mount)}`);
	}
	log(`mounted ${source} at ${mountPathOf(name)}${mount.readOnly ? ", read-only" : ""}`);
	return folder;
}

/** NFS and Filestore negotiate the version, 4.2 to 3; EFS and Azure Files have 4.1 only, with the options that their vendors recommend. */
export function mountArguments({ type, source, readOnly }: SiteMount, folder: string): string[] {
	const options = ["nosuid", "nodev", readOnly ? "ro" : "rw"];
	switch (type) {
		case "lustre":
			return ["-t", "lustre", "-o", [...options, "flock"].join(","), source, folder];
		case "efs": {
			const efs = ["nfsvers=4.1", "rsize=1048576", "wsize=1048576", "hard", "timeo=600", "retrans=2", "noresvport"];
			return ["-t", "nfs4", "-o", [...options, ...efs].join(","), source, folder];
		}
		case "azurefiles":
			return ["-t", "nfs4", "-o", [...options, "vers=4", "minorversion=1", "sec=sys", "nconnect=4"].join(","), source, folder];
		default:
			return ["-t", "nfs", "-o", [...options, "hard", "timeo=600", "retrans=2"].join(","), source, folder];
	}
}

async function findNfsClient({ signal, log, root = "/", install = aptInstall }: MountOptions): Promise<void> {
	const has = async (): Promise<boolean> => {
		const found = await Promise.all(["sbin", "usr/sbin"].map((folder) => isThere(path.join(root, folder, "mount.nfs"))));
		return found.includes(true);
	};
	if (await has()) return;
	log("the image has no NFS client; installing it with apt-get");
	try {
		await install(["nfs-common"], signal);
	} catch (error) {
		signal.throwIfAborted();
		throw new StagingError(
			`the image has no NFS client, and nfs-common could not be installed (${outputOf(error)}). Use an image that includes it`,
		);
	}
	if (!(await has())) throw new StagingError("nfs-common was installed, but mount.nfs is missing. Use an image that includes it");
}

function isThere(file: string): Promise<boolean> {
	return access(file).then(
		() => true,
		() => false,
	);
}

function runProgram(program: string, args: readonly string[], signal: AbortSignal): Promise<unknown> {
	return execute(program, [...args], { signal, timeout: MOUNT_TIMEOUT_MS });
}

/** The program's output, in one line. */
function outputOf(error: unknown): string {
	const { stderr, killed, message } = error as Error & { stderr?: string; killed?: boolean };
	if (killed === true) return `no response in ${MOUNT_TIMEOUT_MS / 1_000} s`;
	const text = (stderr ?? "").trim() || message;
	return text.split(/\n+/).join("; ").replace(/\.$/, "").slice(0, 500);
}

function hintOf({ type }: SiteMount): string {
	return type === "lustre"
		? "The image must contain the Lustre client, and the network must let the instance reach the file system"
		: "Check the export, its access rules, and that instances reach port 2049 of the server";
}
