import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { PolicyOrigin } from "#server/domain/policy-version.ts";
import { badInput } from "./args.ts";
import { oneLine } from "./exit.ts";
import type { Io } from "./io.ts";

/** Longer than a policy may be, so that the server reports it. */
const FILE_BYTES_MAX = 256 * 1024;
/** The line that `policy show` prints before a policy. */
const HEADER = /^# [a-z0-9-]+ v(\d{1,9}), published [^\n]*\r?\n/;

export interface PolicyFile {
	source: string;
	/** The version that `policy show` printed; null when the file does not contain it. */
	shownVersion: number | null;
	/** Lines of the file before the source. */
	lineOffset: number;
}

/** @throws CliError when it cannot be read */
export async function readPolicyFile(file: string, io: Pick<Io, "cwd" | "readStdin">): Promise<PolicyFile> {
	const text = file === "-" ? await io.readStdin(FILE_BYTES_MAX) : await readText(path.resolve(io.cwd, file), file);
	const header = HEADER.exec(text);
	if (!header) return { source: text, shownVersion: null, lineOffset: 0 };
	return { source: text.slice(header[0].length), shownVersion: Number(header[1]), lineOffset: 1 };
}

async function readText(full: string, file: string): Promise<string> {
	let bytes: Buffer;
	try {
		bytes = await readFile(full);
	} catch (error) {
		throw badInput(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (bytes.length > FILE_BYTES_MAX) throw badInput(`${file} has ${bytes.length} bytes; a policy has at most ${FILE_BYTES_MAX}.`);
	return bytes.toString("utf8");
}

const run = promisify(execFile);

/**
 * Origin of a file according to git.
 * @throws CliError outside a repository, without a commit or remote, or when the file differs from its commit
 */
export async function gitOriginOf(file: string, io: Pick<Io, "cwd">): Promise<PolicyOrigin & { kind: "git" }> {
	if (file === "-") throw badInput("--git needs a file, not -: text from stdin has no commit.");
	const full = await realpath(path.resolve(io.cwd, file));
	const git = async (...args: string[]): Promise<string> => {
		try {
			return (await run("git", ["-C", path.dirname(full), ...args], { timeout: 10_000 })).stdout.trim();
		} catch (error) {
			const why = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
			throw badInput(`--git: git ${args.join(" ")} failed for ${file}: ${oneLine(why)}`);
		}
	};
	const commit = await git("rev-parse", "HEAD");
	const inside = `${await git("rev-parse", "--show-prefix")}${path.basename(full)}`;
	await git("ls-files", "--error-unmatch", "--", path.basename(full));
	if ((await git("status", "--porcelain", "--", path.basename(full))) !== "")
		throw badInput(`--git: ${file} has uncommitted changes. Commit it first, so that the recorded commit contains this text.`);
	return { kind: "git", repository: withoutSecret(await git("remote", "get-url", "origin")), commit, path: inside };
}

/** A remote's URL may contain a token, which must not reach a server. */
export function withoutSecret(remote: string): string {
	return remote.replace(/^(\w[\w+.-]*:\/\/)[^/@]*@/, "$1");
}
