import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { Look } from "../check-steps.ts";

/**
 * Whether jobs of `user` and this process can share the folder: it is writable from here, and both are the same user id.
 * Only the first job shows whether the nodes have the folder too.
 */
export async function checkFolder({ folder, user }: { folder: string; user: string }): ReturnType<Look> {
	const found = await stat(folder).catch(() => null);
	if (!found?.isDirectory()) return { failed: `${folder} is not a folder on this host.` };
	const probe = path.join(folder, `.check-${randomUUID()}`);
	const ourUid = process.getuid?.();
	try {
		await writeFile(probe, probe, { mode: 0o600 });
		if ((await readFile(probe, "utf8")) !== probe) return { failed: `A file written to ${folder} was not read back unchanged.` };
		const { uid } = await stat(probe);
		if (uid !== ourUid) return { failed: `${folder} gives files of user id ${ourUid} to user id ${uid}, as NFS with root_squash does.` };
	} finally {
		await rm(probe, { force: true });
	}
	const theirUid = await uidOf(user);
	const works = `${folder} is writable from this host`;
	if (theirUid === null) return { unknown: `${works}. User ${user} is unknown here, so its user id was not compared with ${ourUid}.` };
	if (theirUid !== ourUid)
		return {
			failed: `Jobs run as ${user} (user id ${theirUid}), but Spillway runs as user id ${ourUid}: each could not read the other's files.`,
		};
	return `${works}, and jobs run as the same user id ${ourUid}.`;
}

async function uidOf(user: string): Promise<number | null> {
	return promisify(execFile)("id", ["-u", "--", user]).then(
		({ stdout }) => Number(stdout),
		() => null,
	);
}
