import { readdirSync, readFileSync } from "node:fs";
import { readProcessStat } from "#server/kernel/process-stat.mjs";

/** One process as reported by /proc. `started` distinguishes it from a later process with the same id. */
export interface ProcessInfo {
	pid: number;
	parentPid: number;
	groupId: number;
	sessionId: number;
	started: string;
}

/** All processes of this host at one moment, with their marks. */
interface Snapshot {
	takenAtMs: number;
	processes: readonly (ProcessInfo & { marks: readonly string[] })[];
}

/** The form of a mark in a metadata address. */
const MARK = /\/imds\/([0-9a-f]{32})/g;
/** Machines that end together share one snapshot of the processes. */
const SHARE_MS = 25;
let latest: Snapshot | null = null;

/** What identifies the processes of one machine. */
export interface GuestMark {
	/** The session and process group of the user-data's process, if it was started. */
	sessionId: number | null;
	/** The secret of its metadata address, found in the processes' environments or in the arguments of a scheduled shutdown. */
	secret: string;
}

/** When the process was started, as `<boot id>:<clock ticks>`; null if there is no such live process. */
export function startOf(pid: number): string | null {
	return readProcess(pid, bootId())?.started ?? null;
}

/**
 * The guest's session id, as long as it certainly still identifies that session. null after this host was restarted, or if
 * another process has the id by now.
 */
export function sessionOf(guest: { pid: number; started: string | null } | null): number | null {
	if (guest === null) return null;
	if (guest.started === null) return process.platform === "linux" ? null : guest.pid;
	if (!guest.started.startsWith(`${bootId()}:`)) return null;
	const current = startOf(guest.pid);
	return current === null || current === guest.started ? guest.pid : null;
}

/**
 * The live processes of a machine: its session and group, those that left them but carry the machine's mark, and the descendants
 * of all these. `known` are earlier findings; their children count as well. The process list is not older than `sinceMs` (of
 * performance.now()). Needs Linux's /proc; elsewhere it finds nothing, and only the group is signalled.
 */
export function findGuestProcesses(mark: GuestMark, known: readonly ProcessInfo[] = [], sinceMs = performance.now()): ProcessInfo[] {
	const all = snapshotSince(sinceMs).processes;
	const knownStarts = new Map(known.map(({ pid, started }) => [pid, started]));
	const found = new Map<number, ProcessInfo>();
	for (const candidate of all) {
		const { pid, started, sessionId, groupId, marks } = candidate;
		const ofSession = mark.sessionId !== null && (sessionId === mark.sessionId || groupId === mark.sessionId);
		if (knownStarts.get(pid) === started || ofSession || marks.includes(mark.secret)) found.set(pid, candidate);
	}
	for (let grew = found.size > 0; grew; ) {
		const children = all.filter(({ pid, parentPid }) => found.has(parentPid) && !found.has(pid));
		for (const child of children) found.set(child.pid, child);
		grew = children.length > 0;
	}
	return [...found.values()];
}

function snapshotSince(sinceMs: number): Snapshot {
	const nowMs = performance.now();
	if (latest && latest.takenAtMs >= sinceMs && nowMs - latest.takenAtMs <= SHARE_MS) return latest;
	latest = { takenAtMs: nowMs, processes: readAll() };
	return latest;
}

function readAll(): Snapshot["processes"] {
	const boot = bootId();
	let names: string[];
	try {
		names = readdirSync("/proc");
	} catch {
		return [];
	}
	return names.flatMap((name) => {
		const pid = Number(name);
		// Never init, and never this process.
		if (!Number.isInteger(pid) || pid < 2 || pid === process.pid) return [];
		const info = readProcess(pid, boot);
		return info ? { ...info, marks: marksOf(pid) } : [];
	});
}

function readProcess(pid: number, boot: string): ProcessInfo | null {
	const stat = readProcessStat(pid);
	if (!stat?.isRunning) return null;
	const { parentPid, groupId, sessionId, startedAt } = stat;
	return { pid, parentPid, groupId, sessionId, started: `${boot}:${startedAt}` };
}

function marksOf(pid: number): string[] {
	return ["environ", "cmdline"].flatMap((file) => {
		try {
			const text = readFileSync(`/proc/${pid}/${file}`, "latin1");
			return text.includes("/imds/") ? [...text.matchAll(MARK)].map(([, secret = ""]) => secret) : [];
		} catch {
			return []; // It ended, or belongs to another user.
		}
	});
}

function bootId(): string {
	try {
		return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
	} catch {
		return "unknown-boot";
	}
}
