// PostgreSQL does not run as root. Under root it runs as another user, which needs access to its folders.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { readJson, writeJson } from "./home.mjs";
import { PlainError } from "./plain-error.mjs";

/** @typedef {{uid: number, gid: number, name: string} | undefined} Account undefined: PostgreSQL runs as the current user */

/**
 * @param {string} dataDir an existing database keeps its owner
 * @param {string[]} notes messages for the terminal are added here
 * @returns {Account}
 */
export function postgresAccount(dataDir, notes) {
	if (process.getuid?.() !== 0) {
		requireName();
		return undefined;
	}
	const owner = existsSync(dataDir) ? statSync(dataDir) : undefined;
	if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, name: `user ${owner.uid}` };
	const known = lookUp("postgres");
	if (known) return known;
	const args = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", "postgres"];
	const created = spawnSync("useradd", args, { encoding: "utf8" }).status === 0 ? lookUp("postgres") : undefined;
	if (created) {
		notes.push("PostgreSQL does not run as root: the system user postgres was created for it.");
		return created;
	}
	const nobody = lookUp("nobody");
	if (nobody) return nobody;
	throw new PlainError(
		"PostgreSQL does not run as root, and there is neither a user postgres nor a way to create one (useradd).",
		"create a user named postgres, run Spillway as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
	);
}

function requireName() {
	try {
		os.userInfo();
	} catch (error) {
		throw new PlainError(
			`PostgreSQL needs to know the name of the user that it runs as, but user number ${process.getuid?.()} has none on this machine.`,
			"run Spillway as a user that /etc/passwd lists, or set DATABASE_URL to a PostgreSQL of your own.",
			{ cause: error },
		);
	}
}

/** @returns {Account} */
function lookUp(name) {
	const ids = ["-u", "-g"].map((flag) => spawnSync("id", [flag, name], { encoding: "utf8" }));
	if (ids.some((answer) => answer.status !== 0)) return undefined;
	const [uid, gid] = ids.map((answer) => Number(answer.stdout));
	return { uid, gid, name };
}

/**
 * The folder for the database and its log: `dir` itself, or one outside when `account` cannot reach `dir` through its parent
 * folders. The choice is remembered in `dir`, so that a later change of permissions loses no data.
 * @param {string} dir
 * @param {Account} account
 * @param {string[]} notes
 */
export function enterableFolder(dir, account, notes) {
	mkdirSync(dir, { recursive: true, mode: 0o700 });
	if (!account) return dir;
	const pointer = path.join(dir, "location.json");
	const remembered = readJson(pointer)?.folder;
	if (remembered) return existing(remembered, pointer);
	chownSync(dir, account.uid, account.gid);
	if (canEnter(dir, account)) return dir;
	if (existsSync(path.join(dir, "data", "PG_VERSION")))
		throw new PlainError(
			`The database is in ${dir}, but PostgreSQL runs as ${account.name}, which can no longer enter a folder above it.`,
			`open it again: chmod o+x on each folder above ${dir}.`,
		);
	const folder = path.join(reachableBase(dir, account), "postgres");
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	chownSync(folder, account.uid, account.gid);
	chownSync(dir, 0, 0);
	writeJson(pointer, { folder });
	notes.push(`PostgreSQL runs as ${account.name}, which cannot enter ${dir}; its database is in ${folder}.`);
	return folder;
}

function existing(folder, pointer) {
	if (existsSync(folder)) return folder;
	throw new PlainError(
		`The database of this state folder was in ${folder}, and that folder no longer exists.`,
		`bring it back, or delete ${pointer} to begin with an empty database.`,
	);
}

/** @param {string} folder @param {Account} account */
function canEnter(folder, account) {
	if (!account) return true;
	const script = 'cd "$1" && : > .probe && rm -f .probe';
	return spawnSync("/bin/sh", ["-c", script, "sh", folder], { uid: account.uid, gid: account.gid, cwd: "/", stdio: "ignore" }).status === 0;
}

/**
 * A folder owned by root that every user may pass through, with a name that depends only on `dir`.
 * @param {string} dir
 * @param {Account} account
 */
export function reachableBase(dir, account) {
	const name = `spillway-${createHash("sha256").update(realpathSync(dir)).digest("hex").slice(0, 12)}`;
	for (const parent of ["/var/lib", os.tmpdir(), "/tmp"]) {
		const base = path.join(parent, name);
		try {
			mkdirSync(base, { recursive: true, mode: 0o755 });
			const found = lstatSync(base);
			// In a shared folder, another user may have created it first.
			if (!found.isDirectory() || found.uid !== process.getuid?.()) continue;
			chmodSync(base, 0o755);
			if (!account || spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", base], { uid: account.uid, gid: account.gid, cwd: "/" }).status === 0)
				return base;
		} catch {
			// Read-only or missing: try the next one.
		}
	}
	throw new PlainError(
		`PostgreSQL runs as ${account?.name}, who may enter neither ${dir} nor a folder in /var/lib or ${os.tmpdir()}.`,
		"clone Spillway below a folder that every user may enter (for example /opt), or set DATABASE_URL to a PostgreSQL of your own.",
	);
}
