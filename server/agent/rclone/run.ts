import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { StagingError } from "../safe-path.ts";
import type { RcloneSource } from "./source.ts";

/** Progress of a copy. */
export interface CopyProgress {
	bytes: number;
	/** Grows while folders are being listed. */
	totalBytes: number;
	bytesPerSecond: number;
}

export interface CopyOptions {
	/** Path of rclone. */
	program: string;
	/** A folder for this copy alone, for rclone's temporary files. */
	tmpFolder: string;
	/**
	 * The target is a folder that an earlier copy of the same source filled. Only what differs is fetched, and what no longer exists
	 * is deleted.
	 */
	warm?: boolean;
	signal?: AbortSignal;
	onProgress?(progress: CopyProgress): void;
	/** Links are not copied. A link in the source is an error, so that no file is missing silently. */
	linksAreErrors?: boolean;
	/** Arguments that replace the usual ones of the same name. */
	after?: readonly string[];
	/** Runs at the lowest processor priority. */
	nice?: boolean;
}

/**
 * A data set of many small files needs this many transfers to saturate a line; a few large files are fetched in concurrent parts.
 */
const AT_ONCE = ["--transfers=16", "--checkers=16", "--multi-thread-streams=4"];
/** Retries a server that is briefly unavailable. A refusal is final at the third try. */
const PATIENCE = ["--retries=3", "--retries-sleep=1s", "--low-level-retries=5", "--contimeout=15s", "--timeout=60s"];
const REPORT = ["--use-json-log", "--stats=5s", "--stats-log-level=NOTICE"];
/** Error messages kept. */
const COMPLAINTS = 3;

/** Options by the name that the arguments use for a remote: `name:path`. */
export type NamedRemotes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Makes `target` match the source, a file or a folder's content. rclone checks the size of each file that it fetched, and its
 * checksum if the store has one.
 * @throws StagingError with rclone's message; the signal's reason when aborted
 */
export async function rcloneInto(source: RcloneSource, target: string, options: CopyOptions): Promise<void> {
	await runRclone(argsOf(source, target, options.warm), source.kind === "remote" ? { source: source.options } : {}, options);
}

/**
 * Runs rclone with these arguments, AT_ONCE and the progress options.
 * @throws StagingError with its message; the signal's reason when aborted
 */
export async function runRclone(args: readonly string[], remotes: NamedRemotes, options: CopyOptions): Promise<void> {
	const { signal } = options;
	signal?.throwIfAborted();
	const complaints: string[] = [];
	const all = [...args, ...AT_ONCE, ...PATIENCE, ...REPORT, ...(options.after ?? [])];
	const code = await run(all, environmentOf(remotes, options.tmpFolder), options, (line) => read(line, complaints, options));
	signal?.throwIfAborted();
	const failed = code !== 0 || (options.linksAreErrors && complaints.length > 0);
	if (failed) throw new StagingError(complaints.length > 0 ? complaints.join("; ") : `rclone exited with ${code}`);
}

function argsOf(source: RcloneSource, target: string, warm = false): string[] {
	if (source.kind === "address") return ["copyurl", source.url, target];
	return [warm ? "sync" : "copyto", `source:${source.path}`, target];
}

/**
 * Inherits only the network's settings from this process's environment: a job's data may be fetched only with the remote's settings or
 * the machine's identity.
 */
export function environmentOf(remotes: NamedRemotes, tmpFolder: string): Record<string, string> {
	const settings = Object.entries(remotes).flatMap(([name, options]) =>
		Object.entries(options).map(([key, value]) => [`RCLONE_CONFIG_${name.toUpperCase()}_${key.toUpperCase()}`, value]),
	);
	// An empty path, so that rclone keeps no configuration file and finds none of a user's.
	const own = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: tmpFolder, TMPDIR: tmpFolder, RCLONE_CONFIG: "" };
	return { ...networkEnvironment(), ...own, ...Object.fromEntries(settings) };
}

/** The proxy and certificate authorities of this process, by the names that programs in Go read. */
function networkEnvironment(): Record<string, string> {
	const { NODE_EXTRA_CA_CERTS: own, SSL_CERT_FILE: all = own } = process.env;
	const proxies = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
		value && /^(https?|no)_proxy$/i.test(name) ? [[name, value]] : [],
	);
	return { ...Object.fromEntries(proxies), ...(all ? { SSL_CERT_FILE: all } : {}) };
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
		// On SIGTERM rclone deletes the partial file. It is fetched again in any case.
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

/** An address with embedded credentials must not appear in a log. */
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
		// Messages before rclone parses its options are plain text.
		said = { level: "error", msg: line };
	}
	const { stats } = said;
	if (stats) onProgress?.({ bytes: stats.bytes ?? 0, totalBytes: stats.totalBytes ?? 0, bytesPerSecond: stats.speed ?? 0 });
	if (linksAreErrors && /^Can't follow symlink/.test(said.msg ?? "")) {
		complaints.push(`${said.object ?? "a file"} is a symbolic link; links are not copied`);
		return;
	}
	if (said.level !== "error" && said.level !== "critical") return;
	const text = withoutSignatures([said.object, said.msg?.trim()].filter(Boolean).join(": "));
	// Repeated at each retry.
	if (text === "" || /^Attempt \d+\/\d+ failed/.test(said.msg ?? "") || complaints.includes(text)) return;
	complaints.push(text);
	if (complaints.length > COMPLAINTS) complaints.shift();
}
