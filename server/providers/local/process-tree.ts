import { readdir, readFile } from "node:fs/promises";

/**
 * Kills what an attempt left behind, even in other sessions: on Linux, processes are found by the work folder in their
 * environment. Returns how many there were; they end a moment later.
 */
export async function killLeftovers(workFolders: readonly string[]): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	if (workFolders.length === 0) return found;
	for (const { pid, workFolder } of await markedProcesses(workFolders)) {
		if (kill(pid, "SIGKILL")) found.set(workFolder, (found.get(workFolder) ?? 0) + 1);
	}
	return found;
}

export async function markedProcesses(workFolders: readonly string[]): Promise<{ pid: number; workFolder: string }[]> {
	const entries = await readdir("/proc").catch(() => []);
	const marks = workFolders.map((workFolder) => ({ workFolder, mark: `\0SPILLWAY_WORK_DIR=${workFolder}\0` }));
	const all = await Promise.all(
		entries
			.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
			.map(async (name) => {
				// Processes of other users cannot be read and are not ours; ended ones have no environment.
				const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
				const hit = environment === "" ? undefined : marks.find(({ mark }) => `\0${environment}\0`.includes(toLatin1(mark)));
				return hit ? { pid: Number(name), workFolder: hit.workFolder } : null;
			}),
	);
	return all.filter((hit) => hit !== null);
}

/** Returns false if there is no such process (group: negative number). */
export function kill(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
	try {
		return process.kill(pid, signal);
	} catch {
		return false;
	}
}

/** An environment is bytes; read as latin1, it can be compared byte by byte. */
function toLatin1(text: string): string {
	return Buffer.from(text, "utf8").toString("latin1");
}
