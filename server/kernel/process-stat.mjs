// Plain JavaScript: `npm start` uses it before it has installed a Node.js that runs TypeScript.
import { readFileSync } from "node:fs";

/**
 * One process as reported by /proc/<pid>/stat, see proc(5).
 * @typedef {object} ProcessStat
 * @property {number} pid
 * @property {string} state the kernel's letter for the main thread: T is stopped, Z is a zombie
 * @property {boolean} isRunning
 * @property {number} parentPid
 * @property {number} groupId
 * @property {number} sessionId
 * @property {string} startedAt clock ticks since boot; distinguishes the process from a later one with the same id
 */

/**
 * A zombie with other threads still runs: only its main thread has ended, and the others hold its ports, files
 * and devices. After a SIGKILL this lasts for milliseconds, or for seconds on a busy machine.
 * @param {string} text
 * @returns {ProcessStat | null} null if the text is incomplete
 */
export function parseProcessStat(text) {
	// The name is in parentheses and may contain anything, so fields count from its last parenthesis.
	const match = /^(\d+) \(.*\) (.+)$/s.exec(text);
	const fields = match?.[2]?.split(" ") ?? [];
	const [state, parentPid, groupId, sessionId] = fields;
	const [threads, startedAt] = [fields[17], fields[19]];
	if (!match || !state || !threads || !startedAt) return null;
	const hasMainThread = state !== "Z" && state !== "X";
	return {
		pid: Number(match[1]),
		state,
		isRunning: hasMainThread || Number(threads) > 1,
		parentPid: Number(parentPid),
		groupId: Number(groupId),
		sessionId: Number(sessionId),
		startedAt: startedAt.trim(),
	};
}

/**
 * @param {number | string} pid
 * @returns {ProcessStat | null} null when there is no such process, and on systems without /proc
 */
export function readProcessStat(pid) {
	try {
		return parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
	} catch {
		return null;
	}
}
