// Vitest's global setup for the project "database": one PostgreSQL that is deleted afterwards, even when the test run is
// killed. Tests get its address with `inject("postgresUrl")`.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { freePort } from "./lib/ports.mjs";
import { startPostgres } from "./lib/postgres.mjs";

/** Waits for the end of stdin, which comes when its parent ends for any reason, then stops the server and deletes it. */
const GUARD = `
cat >/dev/null
pid=$(head -n 1 "$1/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
rm -rf "$2" "$3"
`;

/** @param {{provide(name: "postgresUrl", value: string): void}} project */
export default async function setup(project) {
	const { url, stop } = await startThrowawayPostgres();
	project.provide("postgresUrl", url);
	return stop;
}

/**
 * Starts a temporary, empty PostgreSQL for tests and benchmarks.
 * @returns {Promise<{url: string, stop(): Promise<void>}>}
 */
export async function startThrowawayPostgres() {
	const dir = mkdtempSync(path.join(os.tmpdir(), "spillway-postgres-"));
	chmodSync(dir, 0o711);
	const postgres = await startPostgres({
		dir: path.join(dir, "server"),
		port: await freePort(),
		password: randomBytes(12).toString("hex"),
		durable: false,
	});
	const guard = spawn("/bin/sh", ["-c", GUARD, "sh", postgres.dataDir, path.dirname(postgres.dataDir), dir], {
		stdio: ["pipe", "ignore", "ignore"],
		detached: true,
	});
	const gone = new Promise((resolve) => guard.once("exit", resolve));
	guard.unref();
	guard.stdin.unref();
	return {
		url: postgres.url,
		async stop() {
			guard.ref();
			guard.stdin.end();
			await gone;
		},
	};
}
