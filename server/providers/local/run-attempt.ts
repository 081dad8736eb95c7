import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { jobEnvironment } from "#server/agent/job-environment.ts";
import { findMountFolders } from "#server/agent/mount-folders.ts";
import { outputPathsOf } from "#server/agent/output-files.ts";
import type { SiteMount } from "#server/domain/site-mount.ts";
import { defined } from "#server/kernel/assert.ts";
import type { AttemptFolder, StoredRequest } from "./attempt-folder.ts";
import { readSecretEnvironment, secretsFolderOf } from "./attempt-secrets.ts";
import { bringData, checkpointFolderOf, type DataSite } from "./bring-data.ts";
import { whyNotStartable } from "./find-command.ts";
import { commandAsUser, handFolders, uidOf } from "./job-user.ts";
import { writeFailure, writeStoppedBefore } from "./observe-attempt.ts";

const SCRIPT = fileURLToPath(new URL("./run-job.sh", import.meta.url));
/** Gives the command its own process group; if it is missing, the shell's job control does. */
const SETSID = ["/usr/bin/setsid", "/bin/setsid", "/usr/local/bin/setsid"].find((file) => existsSync(file)) ?? "-";

/** This host as a site. The sources of its mounts are folders. */
export interface LocalSite extends DataSite {
	mounts: readonly SiteMount[];
	/** Whether each attempt has its own unprivileged user. */
	hasOtherUsers: boolean;
}

/** Whether an attempt has anything to stage before its command can run. */
export function needsStaging({ spec, restoreFrom }: Pick<StoredRequest, "spec" | "restoreFrom">): boolean {
	return spec.data.length > 0 || restoreFrom !== null;
}

/**
 * Stages an attempt's data and starts its command. A failure becomes the attempt's end. Never throws for a reason that the job
 * caused.
 */
export async function runAttempt(site: LocalSite, paths: AttemptFolder, request: StoredRequest, signal: AbortSignal): Promise<void> {
	try {
		await findMountFolders(request.spec.mounts, site.mounts, site.place);
		const uid = site.hasOtherUsers ? uidOf(paths) : undefined;
		await bringData(site, paths, { ...request, uid }, signal);
		if (uid !== undefined) await handFolders(paths, uid);
	} catch (error) {
		if (existsSync(paths.stop)) return writeStoppedBefore(paths);
		// The driver was closed: the next one starts again.
		if (signal.aborted) return;
		return writeFailure(paths, { error: messageOf(error), failedAt: "staging" });
	}
	if (existsSync(paths.stop)) return writeStoppedBefore(paths);
	await startCommand(site, paths, request);
}

/** Creates the supervising shell in its own session, so that it survives this process. Safe to call again. */
export async function startCommand(
	site: Pick<LocalSite, "mounts" | "hasOtherUsers">,
	paths: AttemptFolder,
	request: StoredRequest,
): Promise<void> {
	const { spec } = request;
	const environment = jobEnvironment({
		jobId: request.jobId,
		attemptNo: request.attemptNo,
		env: { ...spec.env, ...(await readSecretEnvironment(paths, spec)) },
		workFolder: paths.work,
		checkpointFolder: checkpointFolderOf(paths, spec),
		outputPaths: outputPathsOf(paths.work, spec.outputs),
		mountFolders: Object.fromEntries(site.mounts.filter(({ name }) => spec.mounts?.includes(name)).map((m) => [m.name, m.source])),
		tmpFolder: paths.tmp,
		secretsFolder: secretsFolderOf(paths, spec),
		gpus: request.slots,
		nodeFolder: path.dirname(process.execPath),
	});
	const command = defined(spec.command[0], "command");
	const problem = await whyNotStartable(command, environment.PATH ?? "", paths.work);
	if (problem !== null) return writeFailure(paths, { error: problem, failedAt: "start" });
	await writeFile(paths.handed, "");
	const stdout = await open(paths.stdout, "a", 0o600);
	const stderr = await open(paths.stderr, "a", 0o600);
	try {
		const uid = site.hasOtherUsers ? uidOf(paths) : undefined;
		const command = uid === undefined ? spec.command : await commandAsUser(paths, uid, environment, spec.command);
		const own = uid === undefined ? environment : {};
		await spawned(paths, [SCRIPT, paths.state, SETSID, ...command], own, [stdout.fd, stderr.fd]);
	} catch (error) {
		await writeFailure(paths, { error: `the command could not be started: ${messageOf(error)}`, failedAt: "start" });
	} finally {
		await Promise.all([stdout.close(), stderr.close()]);
	}
}

function spawned(
	paths: AttemptFolder,
	args: string[],
	environment: Record<string, string>,
	[stdout, stderr]: [number, number],
): Promise<void> {
	return new Promise((resolve, reject) => {
		const child = spawn("/bin/sh", args, {
			cwd: paths.work,
			// Inherits nothing from the server's environment. Next's types require NODE_ENV, but jobs do not need it.
			env: environment as NodeJS.ProcessEnv,
			detached: true,
			stdio: ["ignore", stdout, stderr],
		});
		child.once("spawn", resolve);
		child.once("error", reject);
		child.unref();
	});
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
