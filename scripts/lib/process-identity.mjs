// Distinguishes a process from a later one with the same id.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { readProcessStat } from "../../server/kernel/process-stat.mjs";

const PROC = existsSync("/proc/self/stat");

/**
 * @param {number} pid
 * @returns {string | undefined} the same text until the last thread of the process has ended; undefined when there is none
 */
export function processIdentity(pid) {
	if (!PROC) {
		const answer = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
		return answer.status === 0 ? answer.stdout.trim() : undefined;
	}
	const stat = readProcessStat(pid);
	return stat?.isRunning ? `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}:${stat.startedAt}` : undefined;
}

/** The command line of a process; empty when it no longer exists or cannot be read. */
export function commandLine(pid) {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
	} catch {
		return "";
	}
}

/**
 * The processes that inherited `name=value` in their environment, except the current one.
 * Linux only; empty elsewhere.
 * @returns {number[]}
 */
export function processesWithEnv(name, value) {
	if (!PROC) return [];
	const wanted = `${name}=${value}`;
	const found = [];
	for (const entry of readdirSync("/proc")) {
		const pid = Number(entry);
		if (!Number.isInteger(pid) || pid === process.pid) continue;
		try {
			if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(wanted)) continue;
			if (processIdentity(pid)) found.push(pid);
		} catch {
			// It ended meanwhile or belongs to another user.
		}
	}
	return found;
}
