// The PostgreSQL from npm: created on first use, started and stopped through pg_ctl, reachable only on loopback with a password.
// It survives a killed parent, so every start first stops an old server.
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PlainError } from "./plain-error.mjs";
import { HOST } from "./ports.mjs";
import { enterableFolder, postgresAccount } from "./postgres-account.mjs";
import { postgresBinaries } from "./postgres-binaries.mjs";
import { commandLine, processIdentity } from "./process-identity.mjs";

const USER = "spillway";
const DATABASE = "spillway";

const START_LIMIT_SECONDS = 300;
const STOP_LIMIT_SECONDS = 60;
/** Sign-in hashes the password this often on both sides; a temporary database has nothing to protect. */
const THROWAWAY_SIGN_IN = ["--set", "scram_iterations=1"];
const LOG_BYTES_MAX = 10_000_000;
const WATCH_MS = 500;
const RESTART_PAUSE_MS_MIN = 500;
const RESTART_PAUSE_MS_MAX = 30_000;

/** Tuned for one busy machine. The settings that make commits durable (fsync, synchronous_commit) stay on. */
const SETTINGS = {
	listen_addresses: HOST,
	unix_socket_directories: "",
	max_connections: "100",
	shared_buffers: "256MB",
	effective_cache_size: "1GB",
	work_mem: "16MB",
	maintenance_work_mem: "128MB",
	synchronous_commit: "on",
	wal_level: "minimal",
	max_wal_senders: "0",
	max_wal_size: "2GB",
	checkpoint_timeout: "15min",
	random_page_cost: "1.1",
	jit: "off",
	password_encryption: "scram-sha-256",
	timezone: "UTC",
	log_timezone: "UTC",
};

/**
 * For temporary databases: nothing needs to survive a crash of the machine, and plans and statistics must not depend on the
 * timing of autovacuum.
 */
const THROWAWAY_SETTINGS = {
	autovacuum: "off",
	fsync: "off",
	synchronous_commit: "off",
	full_page_writes: "off",
	shared_buffers: "128MB",
	max_connections: "200",
};

/**
 * Starts PostgreSQL on `dir`, which is created if needed. A server left behind by a killed run is stopped first.
 * @param {{dir: string, port: number, password: string, durable?: boolean, settings?: Record<string, string>,
 *   update?: (detail: string) => void, say?: (line: string) => void}} options `dir`: absolute; `durable: false` for tests; with `say`, a
 *   server that exits by itself is restarted and reported
 * @returns {Promise<{url: string, port: number, dataDir: string, log: string, notes: string[],
 *   stop(mode?: "fast" | "immediate"): Promise<void>}>} `url` is a superuser's, on the database `spillway`
 * @throws {PlainError}
 */
export async function startPostgres({ dir, port, password, durable = true, settings = {}, update = () => {}, say }) {
	const notes = [];
	const account = postgresAccount(path.join(dir, "data"), notes);
	const folder = enterableFolder(dir, account, notes);
	const bin = postgresBinaries({ account, notes });
	const server = { bin, account, dataDir: path.join(folder, "data"), log: path.join(folder, "postgres.log"), folder };
	if (existsSync(path.join(server.dataDir, "PG_VERSION"))) {
		requireSameVersion(server);
		await stopServer(server, "fast");
	} else {
		update("creating the database");
		createCluster(server, password, durable);
	}
	update("starting");
	const all = { ...SETTINGS, ...(durable ? {} : THROWAWAY_SETTINGS), ...settings, port: String(port) };
	await startServer(server, all);
	const watching = new AbortController();
	const watched = say ? keepServer(server, all, { say, signal: watching.signal }) : undefined;
	return {
		url: `postgres://${USER}:${encodeURIComponent(password)}@${HOST}:${port}/${DATABASE}`,
		port,
		dataDir: server.dataDir,
		log: server.log,
		notes,
		async stop(mode = "fast") {
			watching.abort();
			await watched;
			await stopServer(server, mode);
		},
	};
}

/** Until the signal, restarts the server whenever it ends, with growing pauses while it fails to start. */
async function keepServer(server, settings, { say, signal }) {
	const pause = (ms) => sleep(ms, undefined, { signal }).catch(() => undefined);
	let pauseMs = RESTART_PAUSE_MS_MIN;
	while (!signal.aborted) {
		await pause(WATCH_MS);
		if (signal.aborted || isRunning(server)) continue;
		say(`PostgreSQL ended by itself; it starts again. Its log: ${server.log}`);
		try {
			await startServer(server, settings);
			pauseMs = RESTART_PAUSE_MS_MIN;
			say("PostgreSQL runs again.");
		} catch (error) {
			say(`${error.message} The next try is in ${pauseMs / 1000} s.`);
			await pause(pauseMs);
			pauseMs = Math.min(pauseMs * 2, RESTART_PAUSE_MS_MAX);
		}
	}
}

function isRunning({ dataDir }) {
	try {
		return isPostmaster(Number.parseInt(readFileSync(path.join(dataDir, "postmaster.pid"), "utf8"), 10));
	} catch (error) {
		if (error.code === "ENOENT") return false;
		throw error;
	}
}

function createCluster(server, password, durable) {
	const { folder, account, bin, dataDir } = server;
	const draft = path.join(folder, "data.new");
	const passwordFile = path.join(folder, "password.tmp");
	rmSync(draft, { recursive: true, force: true });
	rmSync(passwordFile, { force: true });
	try {
		writeFileSync(passwordFile, password, { mode: 0o600, flag: "wx" });
		if (account) chownSync(passwordFile, account.uid, account.gid);
		const how = ["--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--encoding=UTF8", "--locale=C"];
		const collation = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
		run(
			server,
			bin("initdb"),
			["-D", draft, "-U", USER, ...how, ...collation, ...(durable ? [] : ["--no-sync", ...THROWAWAY_SIGN_IN])],
			"create its database",
		);
		// Single-user mode requires no password, port or client program.
		run(
			server,
			bin("postgres"),
			["--single", "-D", draft, "-c", "log_checkpoints=off", "postgres"],
			"create its database",
			`create database ${DATABASE}\n`,
		);
		renameSync(draft, dataDir);
	} finally {
		rmSync(passwordFile, { force: true });
	}
}

function requireSameVersion({ bin, dataDir, account }) {
	const stored = readFileSync(path.join(dataDir, "PG_VERSION"), "utf8").trim();
	const program = spawnSync(bin("postgres"), ["--version"], { ...asAccount(account), encoding: "utf8" }).stdout.match(/(\d+)\./)?.[1];
	if (program === stored) return;
	throw new PlainError(
		`The database in ${dataDir} was made by PostgreSQL ${stored}; this version of Spillway brings PostgreSQL ${program}.`,
		`move the data with pg_dump and pg_restore, or set DATABASE_URL to a PostgreSQL ${stored} server.`,
	);
}

async function startServer(server, settings) {
	const { bin, dataDir, log } = server;
	if (existsSync(log) && statSync(log).size > LOG_BYTES_MAX) renameSync(log, `${log}.1`);
	const start = existsSync(log) ? statSync(log).size : 0;
	const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
	const args = ["start", "-w", "-t", String(START_LIMIT_SECONDS), "-s", "-D", dataDir, "-l", log, "-o", options.join(" ")];
	const code = await wait(server, bin("pg_ctl"), args);
	if (code === 0) return;
	const said = existsSync(log) ? readFileSync(log, "utf8").slice(start).trim().split("\n").slice(-15).join("\n") : "";
	throw new PlainError(`PostgreSQL did not start. Its log is ${log}.`, startAdvice(said), { detail: said });
}

function startAdvice(said) {
	if (/No space left/.test(said)) return "free some disk space and start again.";
	if (/could not bind|Address already in use/.test(said)) return "start again: another port will be chosen.";
	if (/shared memory|Cannot allocate memory/.test(said)) return "free some memory (PostgreSQL needs about 400 MB) and start again.";
	return "read the lines above; or use a PostgreSQL of your own by setting DATABASE_URL.";
}

/** Stops the server of this data folder if one runs, regardless of who started it. */
async function stopServer(server, mode) {
	const { bin, dataDir } = server;
	const pidFile = path.join(dataDir, "postmaster.pid");
	if (!existsSync(pidFile)) return;
	const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
	if (!isPostmaster(pid)) {
		// After a crash or a container restart, the process id may belong to any process, and PostgreSQL would not start.
		rmSync(pidFile, { force: true });
		return;
	}
	const args = ["stop", "-w", "-s", "-t", String(STOP_LIMIT_SECONDS), "-D", dataDir, "-m"];
	if ((await wait(server, bin("pg_ctl"), [...args, mode])) === 0) return;
	if (mode === "fast" && (await wait(server, bin("pg_ctl"), [...args, "immediate"])) === 0) return;
	if (existsSync(pidFile)) throw new PlainError(`PostgreSQL (process ${pid}) did not stop.`, `end it by: kill -QUIT ${pid}`);
}

function isPostmaster(pid) {
	if (!Number.isInteger(pid) || !processIdentity(pid)) return false;
	const command = commandLine(pid);
	return command === "" || /postgres/.test(command.split(" ")[0] ?? "");
}

const asAccount = (account) => (account ? { uid: account.uid, gid: account.gid } : {});

/** The server inherits nothing from the caller's environment, which may contain secrets or missing locales. */
const serverEnv = () => ({ PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" });

function run({ account, folder }, program, args, purpose, input = "") {
	const answer = spawnSync(program, args, { ...asAccount(account), cwd: folder, env: serverEnv(), encoding: "utf8", input });
	if (!answer.error && answer.status === 0) return;
	const said = `${answer.error?.message ?? ""}${answer.stdout ?? ""}${answer.stderr ?? ""}`.trim().split("\n").slice(-15).join("\n");
	throw new PlainError(`PostgreSQL could not ${purpose} in ${folder}.`, startAdvice(said), { detail: said });
}

/** Runs without pipes, because the server that pg_ctl leaves running would keep them open. */
function wait({ account, folder }, program, args) {
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, { ...asAccount(account), cwd: folder, env: serverEnv(), stdio: "ignore", detached: true });
		child.once("error", reject);
		child.once("exit", (code) => resolve(code));
	});
}
