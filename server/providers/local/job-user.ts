import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { chmod, chown, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { AttemptFolder } from "./attempt-folder.ts";

/** Above the ranges of accounts, containers and subordinate ids. */
const FIRST_UID = 0x70000000;
const SETPRIV = ["/usr/bin/setpriv", "/bin/setpriv", "/usr/sbin/setpriv"].find((file) => existsSync(file));
const run = promisify(execFile);

/** The number of the user and group of an attempt. From the path of its folder, so that other jobs and installations have others. */
export function uidOf({ folder }: AttemptFolder): number {
	return FIRST_UID + (createHash("sha256").update(folder).digest().readUInt32BE() >>> 5);
}

/** Ends every process of an attempt's user at once: one that forks forever would escape a search for processes. */
export async function endProcessesOf(uid: number): Promise<void> {
	await run(SETPRIV ?? "setpriv", [...asUser(uid), "/bin/sh", "-c", "kill -s KILL -- -1; exit 0"], { cwd: "/" });
}

/** Why jobs in `folder` run as this process's own user, or null if each attempt has its own unprivileged user. */
export function whyNotOtherUsers(folder: string): string | null {
	if (process.getuid?.() !== 0) return "Spillway does not run as root";
	if (SETPRIV === undefined) return "setpriv (util-linux) is not installed";
	const args = ["/bin/sh", "-c", 'cd "$1" && "$2" --version', "sh", folder, process.execPath];
	const { status } = spawnSync(SETPRIV, [...asUser(FIRST_UID), ...args], { cwd: "/", stdio: "ignore" });
	return status === 0 ? null : `other users may not enter ${folder} or run ${process.execPath}`;
}

/** Creates the site's folder, which the users of jobs may pass through but not list. */
export function openSite(root: string): boolean {
	if (whyNotOtherUsers(path.dirname(path.dirname(root))) !== null) return false;
	mkdirSync(root, { recursive: true, mode: 0o711 });
	for (const folder of [path.dirname(root), root]) chmodSync(folder, 0o711);
	return true;
}

function asUser(uid: number): string[] {
	return [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--no-new-privs"];
}

/** Gives the job's folders to its user. The supervisor's state and the logs stay with this process. */
export async function handFolders(paths: AttemptFolder, uid: number): Promise<void> {
	const folders = [paths.work, paths.checkpoints, paths.tmp, paths.secrets].filter((folder) => existsSync(folder));
	await run("chown", ["-RhP", `${uid}:${uid}`, "--", ...folders]);
	await chown(paths.folder, 0, uid);
	await chmod(paths.folder, 0o710);
}

/**
 * The command as its user. It gets its environment from a file: as root, the supervising shell must not see it, because
 * LD_PRELOAD and similar variables run code.
 */
export async function commandAsUser(
	paths: AttemptFolder,
	uid: number,
	environment: Readonly<Record<string, string>>,
	command: readonly string[],
): Promise<string[]> {
	// Some shells reject some names, such as UID. Programs ask for a user's name, and this user has none.
	const lines = Object.entries({ USER: "spillway-job", LOGNAME: "spillway-job", ...environment }).map(
		([name, value]) => `command export ${name}='${value.replaceAll("'", "'\\''")}' || :\n`,
	);
	await writeFile(paths.environment, lines.join(""), { mode: 0o600 });
	await chown(paths.environment, uid, uid);
	return [SETPRIV ?? "setpriv", ...asUser(uid), "/bin/sh", "-c", '. "$0" && exec "$@"', paths.environment, ...command];
}
