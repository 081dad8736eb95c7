import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { parseProcessStat, readProcessStat } from "#server/kernel/process-stat.mjs";

/** Identifies a process, even among later ones with the same number and after a restart of the host. */
export const identitySchema = z.object({
	pid: z.number().int().positive(),
	/** Linux: start in clock ticks since boot. Elsewhere: what `ps -o lstart=` prints. */
	startedAt: z.string(),
	/** Linux: the id of this boot. Elsewhere empty. */
	bootId: z.string(),
});
export type ProcessIdentity = z.infer<typeof identitySchema>;

const run = promisify(execFile);

/** Reads a `pid` file of run-job.sh; null if it is incomplete. */
export function parsePidFile(text: string): ProcessIdentity | null {
	const [self = "", epoch = ""] = text.split("\n");
	if (epoch.trim() === "") return null;
	const stat = parseProcessStat(self);
	if (stat) return { pid: stat.pid, startedAt: stat.startedAt, bootId: epoch.trim() };
	return /^\d+$/.test(self) ? { pid: Number(self), startedAt: epoch.trim(), bootId: "" } : null;
}

/** Whether exactly this process still runs. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
	const now = await identify(identity.pid);
	return now !== null && now.startedAt === identity.startedAt && now.bootId === identity.bootId;
}

export async function identify(pid: number): Promise<ProcessIdentity | null> {
	const bootId = await readBootId();
	if (bootId === null) return identifyByPs(pid);
	const stat = readProcessStat(pid);
	return stat?.isRunning ? { pid, startedAt: stat.startedAt, bootId } : null;
}

let bootId: Promise<string | null> | undefined;

function readBootId(): Promise<string | null> {
	bootId ??= readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
		(text) => text.trim(),
		() => null,
	);
	return bootId;
}

async function identifyByPs(pid: number): Promise<ProcessIdentity | null> {
	try {
		const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)], { env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } as never });
		return stdout.trim() === "" ? null : { pid, startedAt: stdout.trim(), bootId: "" };
	} catch {
		return null;
	}
}
