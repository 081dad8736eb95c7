// `spillway backup` and `spillway restore`: runs server/bin/backup.ts on DATABASE_URL, else on the database of `npm start` in
// SPILLWAY_HOME, which is started for the command if it is not running.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { homeFolder, loadSecrets, prepareHome, readJson } from "./lib/home.mjs";
import { lockHome } from "./lib/lock-home.mjs";
import { projectNode, projectPath, root } from "./lib/node.mjs";
import { describeError, PlainError } from "./lib/plain-error.mjs";
import { HOST, rememberedPorts } from "./lib/ports.mjs";
import { startPostgres } from "./lib/postgres.mjs";

const args = process.argv.slice(2);

/** @param {string | undefined} url @returns {number} exit code */
function run(home, url) {
	const env = { ...process.env, PATH: projectPath(), SPILLWAY_HOME: home, ...(url ? { DATABASE_URL: url } : {}) };
	const { status } = spawnSync(projectNode(), [path.join(root, "server/bin/backup.ts"), ...args], { stdio: "inherit", env });
	return status ?? 1;
}

async function main() {
	const home = homeFolder();
	if (process.env.DATABASE_URL) return run(home, undefined);
	const isReview = ["--reviewed", "--kept", "--release"].some((flag) => args.includes(flag));
	const isRestore = args[0] === "restore" && !isReview && args.length > 1;
	const dir = path.join(home, "postgres");
	if (!isRestore && !existsSync(dir))
		throw new PlainError(`There is no database in ${home}.`, "set DATABASE_URL, or SPILLWAY_HOME to the folder of an installation.");
	prepareHome(home);
	const { postgresPassword: password } = loadSecrets(home);
	const lock = await lockHome(home, { url: "a backup" }, console.error);
	if (!lock.held) {
		if (isRestore) throw new PlainError("Spillway is running.", "stop npm start first, then restore.");
		// Does not use rememberedPorts, which replaces ports that are in use.
		const { postgres: port } = readJson(path.join(home, "ports.json")) ?? {};
		return run(home, `postgres://spillway:${encodeURIComponent(password)}@${HOST}:${port}/spillway`);
	}
	try {
		const ports = await rememberedPorts(home, ["postgres"]);
		const postgres = await startPostgres({ dir, port: ports.postgres, password });
		try {
			return run(home, postgres.url);
		} finally {
			await postgres.stop();
		}
	} finally {
		lock.release();
	}
}

try {
	process.exitCode = await main();
} catch (error) {
	console.error(describeError(error));
	process.exitCode = 1;
}
