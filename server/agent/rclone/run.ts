import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { StagingError } from "../safe-path.ts";
import type { RcloneSource } from "./source.ts";

/** How far a copy is. */
export interface CopyProgress {
	bytes: number;
	/** Grows while folders are still being listed. */
	totalBytes: number;
	bytesPerSecond: number;
}

export interface CopyOptions {
	/** The rclone to run. */
	program: string;
	/** A folder of this copy's own, for what rclone keeps while it works. */
	tmpFolder: string;
	/**
	 * The target is a folder that an earlier copy of the same source filled: only what differs is fetched, and what no longer exists
	 * is deleted.
	 */
	warm?: boolean;
	signal?: AbortSignal;
	onProgress?(progress: CopyProgress): void;
	/** Links are no part of what is copied: one in the source is an error rather than a file less. */
	linksAreErrors?: boolean;
	/** Arguments that replace the usual ones of the same name. */
	after?: readonly string[];
	/** At the lowest processor priority. */
	nice?: boolean;
}

/** What a data set of many small files needs to fill a line; a few large ones are fetched in parts at once. */
const AT_ONCE = ["--transfers=16", "--checkers=16", "--multi-thread-streams=4"];
/** A server that is unavailable for a moment is asked again; one that says no is believed at the third time. */
const PATIENCE = ["--retries=3", "--retries-sleep=1s", "--low-level-retries=5", "--contimeout=15s", "--timeout=60s"];
const REPORT = ["--use-json-log", "--stats=5s", "--stats-log-level=NOTICE"];
/** Kept of what it complains about. */
const COMPLAINTS = 3;

/** Options by the name under which the arguments mention a remote: `name:path`. */
export type NamedRemotes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Makes `target` what the source is, a file or a folder's content. rclone checks the size of each file that it fetched, and its
 * checksum wherever the store has one.
 * @throws StagingError with rclone's own words; the signal's reason when aborted.
 */
export async function rcloneInto(source: RcloneSource, target: string, options: CopyOptions): Promise<void> {
	await runRclone(argsOf(source, target, options.warm), source.kind === "remote" ? { source: source.options } : {}, options);
}

/**
 * rclone with these arguments, AT_ONCE and what it reports by. @throws StagingError with its own words; the signal's reason when
 * aborted.
 */
export async function runRclone(args: readonly string[], remotes: NamedRemotes, options: CopyOptions): Promise<void> {
	const { signal } = options;
	signal?.throwIfAborted();
	const complaints: string[] = [];
	const all = [...args, ...AT_ONCE, ...PATIENCE, ...REPORT, ...(options.after ?? [])];
	const code = await run(all, environmentOf(remotes, options.tmpFolder), options, (line) => read(line, complaints, options));
	signal?.throwIfAborted();
	const failed = code !== 0 || (options.linksAreErrors && complaints.length > 0);
	if (failed) throw new StagingError(complaints.length > 0 ? complaints.join("; ") : `rclone ended with ${code}`);
}

function argsOf(source: RcloneSource, target: string, warm = false): string[] {
	if (source.kind === "address") return ["copyurl", source.url, target];
	return [warm ? "sync" : "copyto", `source:${source.path}`, target];
}

/** Nothing of this process's own environment: a job's data are fetched by what the remote says, or by the machine's identity. */
export function environmentOf(remotes: NamedRemotes, tmpFolder: string): Record<string, string> {
	const settings = Object.entries(remotes).flatMap(([name, options]) =>
		Object.entries(options).map(([key, value]) => [`RCLONE_CONFIG_${name.toUpperCase()}_${key.toUpperCase()}`, value]),
	);
	// An empty path: rclone keeps no configuration file, and finds none of a person's.
	return { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: tmpFolder, TMPDIR: tmpFolder, RCLONE_CONFIG: "", ...Object.fromEntries(settings) };
}

function run(
	args: string[],
	env: Record<string, string>,
	{ program, signal, nice = false }: CopyOptions,
	onLine: (line: string) => void,
): Promise<number | null> {
	return new Promise((resolve, reject) => {
		const [file, all] = nice ? ["nice", ["-n", "19", program, ...args]] : [program, args];
		const child = spawn(file, all, { env: env as NodeJS.ProcessEnv, stdio: ["ignore", "ignore", "pipe"] });
		// SIGTERM lets it delete the file that is half there; it is fetched again in any case.
		const end = (): void => void child.kill("SIGTERM");
		signal?.addEventListener("abort", end, { once: true });
		createInterface({ input: child.stderr }).on("line", onLine);
		child.once("error", (error) => reject(new StagingError(`${program} could not be started: ${error.message}`)));
		child.once("close", (code) => {
			signal?.removeEventListener("abort", end);
			resolve(code);
		});
	});
}

/** An address that lets in anyone who has it has no business in a log. */
function withoutSignatures(text: string): string {
	return text.replaceAll(/\b(sig|signature|x-amz-signature|x-goog-signature)=[^&\s"']+/gi, "$1=…");
}

interface LogLine {
	level?: string;
	msg?: string;
	object?: string;
	stats?: { bytes?: number; totalBytes?: number; speed?: number };
}

function read(line: string, complaints: string[], { onProgress, linksAreErrors }: CopyOptions): void {
	let said: LogLine;
	try {
		said = JSON.parse(line) as LogLine;
	} catch {
		// What it says before it reads its options is plain text.
		said = { level: "error", msg: line };
	}
	const { stats } = said;
	if (stats) onProgress?.({ bytes: stats.bytes ?? 0, totalBytes: stats.totalBytes ?? 0, bytesPerSecond: stats.speed ?? 0 });
	if (linksAreErrors && /^Can't follow symlink/.test(said.msg ?? "")) {
		complaints.push(`${said.object ?? "a file"} is a symbolic link, which is not copied`);
		return;
	}
	if (said.level !== "error" && said.level !== "critical") return;
	const text = withoutSignatures([said.object, said.msg?.trim()].filter(Boolean).join(": "));
	// Said again at each try.
	if (text === "" || /^Attempt \d+\/\d+ failed/.test(said.msg ?? "") || complaints.includes(text)) return;
	complaints.push(text);
	if (complaints.length > COMPLAINTS) complaints.shift();
}
