// SPILLWAY_HOME: the only state folder. It contains the secrets, the remembered ports and the lock of the running instance.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { root } from "./node.mjs";
import { PlainError } from "./plain-error.mjs";
import { processIdentity } from "./process-identity.mjs";

/** @returns {string} absolute path */
export function homeFolder(env = process.env) {
	return env.SPILLWAY_HOME ? path.resolve(env.SPILLWAY_HOME) : path.join(root, ".spillway");
}

/**
 * Creates the folder if it is missing and verifies that it is writable.
 * @throws {PlainError}
 */
export function prepareHome(home) {
	const elsewhere = "choose a folder that you may write to, for example: SPILLWAY_HOME=~/spillway-home npm start";
	try {
		// PostgreSQL runs as another user under root and must be able to pass through; it cannot list the folder.
		makeFolder(home, process.getuid?.() === 0 ? 0o711 : 0o700);
		makeFolder(path.join(home, "log"), 0o700);
		const probe = path.join(home, `.probe-${process.pid}`);
		writeFileSync(probe, "");
		rmSync(probe);
	} catch (error) {
		const why = {
			EACCES: `user ${userName()} may not write there`,
			EPERM: `user ${userName()} may not write there`,
			EROFS: "the file system is read-only",
			ENOSPC: "the disk is full",
			EEXIST: "there is a file of that name, not a folder",
			ENOTDIR: "a part of that path is a file, not a folder",
			ENOENT: "the file system does not take new folders there",
		}[error.code];
		throw new PlainError(`Spillway keeps its state in ${home}, but cannot write to it: ${why ?? error.message}.`, elsewhere, {
			cause: error,
		});
	}
}

/** Avoids `recursive: true`, because Node's own loop never ends on file systems such as /proc. */
function makeFolder(folder, mode) {
	if (existsSync(folder)) {
		if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is a file`), { code: "EEXIST" });
		return;
	}
	if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder), 0o755);
	mkdirSync(folder, { mode });
}

const userName = () => {
	try {
		return os.userInfo().username;
	} catch {
		return `with number ${process.getuid?.()}`;
	}
};

/** Writes a JSON file so that a reader never sees a partial one. */
export function writeJson(file, value, mode = 0o600) {
	const temporary = `${file}.${process.pid}.tmp`;
	writeFileSync(temporary, `${JSON.stringify(value, null, "\t")}\n`, { mode });
	chmodSync(temporary, mode);
	renameSync(temporary, file);
}

/** @returns {any} undefined when the file is missing */
export function readJson(file) {
	if (!existsSync(file)) return undefined;
	const text = readFileSync(file, "utf8");
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new PlainError(`${file} is damaged: ${error.message}.`, "restore the file from a backup, or start with another SPILLWAY_HOME.", {
			cause: error,
		});
	}
}

/** Random secrets, created once and readable only by their owner. */
export function loadSecrets(home) {
	const file = path.join(home, "secrets.json");
	const known = readJson(file) ?? {};
	const secrets = {
		authSecret: known.authSecret ?? randomBytes(32).toString("base64url"),
		secret: known.secret ?? randomBytes(32).toString("base64url"),
		postgresPassword: known.postgresPassword ?? randomBytes(24).toString("base64url"),
	};
	if (JSON.stringify(known) !== JSON.stringify(secrets)) writeJson(file, secrets);
	else if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
	return secrets;
}

/**
 * Takes a lock file. One left behind by a killed owner is harmless, because it contains the owner's process id and identity.
 * @param {string} file
 * @param {Record<string, unknown>} facts stored in the file for processes that find the lock held
 * @returns {{held: true, stale: any, update(more: object): void, release(): void} | {held: false, owner: any}}
 *   `stale`: the facts left by a killed owner; `owner`: the facts of the live owner
 */
export function takeLock(file, facts = {}) {
	const mine = { pid: process.pid, identity: processIdentity(process.pid), ...facts };
	const draft = `${file}.${process.pid}`;
	let stale;
	for (let attempt = 0; attempt < 100; attempt++) {
		writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
		try {
			// link() fails if the name exists, and shows the file only with its content, so that no reader sees an empty lock.
			linkSync(draft, file);
			rmSync(draft);
			return { held: true, stale, ...lockHandle(file, mine) };
		} catch (error) {
			rmSync(draft);
			if (error.code !== "EEXIST") throw error;
		}
		const owner = readOwner(file);
		if (owner === undefined) continue;
		if (owner.pid && owner.identity && processIdentity(owner.pid) === owner.identity) return { held: false, owner };
		stale = owner;
		removeStale(file, owner);
	}
	throw new PlainError(`The lock ${file} could not be taken.`, `delete it when no Spillway runs on this machine.`);
}

function lockHandle(file, mine) {
	let current = mine;
	const isMine = () => readOwner(file)?.identity === mine.identity && readOwner(file)?.pid === mine.pid;
	return {
		update(more) {
			current = { ...current, ...more };
			if (isMine()) writeJson(file, current);
		},
		release() {
			if (isMine()) rmSync(file, { force: true });
		},
	};
}

function readOwner(file) {
	try {
		return JSON.parse(readFileSync(file, "utf8"));
	} catch (error) {
		return error.code === "ENOENT" ? undefined : {};
	}
}

/** Two starters may see the same stale lock. The rename lets only one of them take it; a new lock is put back. */
function removeStale(file, seen) {
	const aside = `${file}.stale-${process.pid}`;
	try {
		renameSync(file, aside);
		if (JSON.stringify(readOwner(aside)) !== JSON.stringify(seen)) linkSync(aside, file);
	} catch {
		// Another starter was faster.
	}
	rmSync(aside, { force: true });
}
