import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync, openSync } from "node:fs";
import { chown, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gresConf, nodeNames, slurmConf, slurmdbdConf } from "./slurm-conf.ts";
import { SYSTEM_PATH } from "./slurm-programs.ts";

const run = promisify(execFile);

/**
 * Waits for the end of its input, which comes when its parent ends in any way, and then kills everything with our folder in its
 * environment.
 */
const GUARD = `
cat >/dev/null
for round in 1 2 3; do
	for file in /proc/[0-9]*/environ; do
		pid=\${file#/proc/}; pid=\${pid%/environ}
		[ "$pid" = $$ ] || ! tr '\\0' '\\n' <"$file" 2>/dev/null | grep -q "=$1/" || kill -KILL "$pid" 2>/dev/null
	done
done
rm -rf "$1"
`;

/**
 * Without the plugins of slurmdbd, which refuse to load without accounting. Up to 22.05 each version was a separate plugin; from
 * 23.11 on one plugin serves all versions of the server.
 */
function restPlugins(version: string): string {
	return /\b22\.05\b/.test(version) ? "openapi/v0.0.36,openapi/v0.0.37,openapi/v0.0.38" : "slurmctld";
}

const START_TRIES = 2_000;
const START_STEP_MS = 25;

/**
 * A real Slurm on this host for tests, with its own folder, keys and ports on loopback. It ends with the process that started it.
 */
export interface SlurmCluster {
	url: string;
	/** Its slurm.conf, for programs that are not started here. */
	conf: string;
	/** A folder that "all nodes" share. */
	shared: string;
	nodes: string[];
	/** A token for a user of this host, valid for `lifespan` seconds. */
	token(lifespan?: number, user?: string): Promise<string>;
	/** Runs one of Slurm's programs and returns its output. */
	command(program: string, ...args: string[]): Promise<string>;
	/** Runs as another user of this host, in a folder that they own: `alice` in tests. */
	commandAs(user: string, folder: string, program: string, ...args: string[]): Promise<string>;
	killController(): Promise<void>;
	startController(): Promise<void>;
	killRest(): Promise<void>;
	startRest(): Promise<void>;
	/** Restarts the daemon of a node, which then finds this many of the node's GPUs, at least one. Jobs keep running meanwhile. */
	restartNode(node: string, gpus: number): Promise<void>;
	stop(): Promise<void>;
}

export interface SlurmOptions {
	nodes: number;
	gpusPerNode: number;
	/** With slurmdbd and its own MariaDB; requires what `whyNoAccounting` checks. */
	accounting?: boolean;
}

export async function startSlurm(options: SlurmOptions): Promise<SlurmCluster> {
	const dir = await mkdtemp(path.join(tmpdir(), "spillway-slurm-"));
	chmodSync(dir, 0o711);
	const guard = spawn("/bin/sh", ["-c", GUARD, "sh", dir], { stdio: ["pipe", "ignore", "ignore"], detached: true });
	const guarded = once(guard, "exit");
	guard.unref();
	(guard.stdin as unknown as { unref(): void }).unref();
	const host = hostname().split(".")[0] ?? "localhost";
	const [controllerPort, restPort, ...morePorts] = await freePorts(options.nodes + 4);
	const [nodePorts, [accountsPort = 0, databasePort = 0]] = [morePorts.slice(2), morePorts];
	const accountingPort = options.accounting ? accountsPort : null;
	const conf = { dir, host, controllerPort, nodePorts, gpusPerNode: options.gpusPerNode, accountingPort };
	await prepare(dir, options.gpusPerNode);
	await writeFile(path.join(dir, "etc/slurm.conf"), slurmConf(conf));
	await writeFile(path.join(dir, "etc/gres.conf"), gresConf(conf));
	const daemons = new Daemons(dir);
	const command = async (program: string, ...args: string[]) => (await run(program, args, { env: daemons.env })).stdout.trim();
	await daemons.start("munged", [
		...["munged", "-F", "--force", `--key-file=${dir}/etc/munge.key`, `--socket=${dir}/run0/munge.sock`],
		...[`--pid-file=${dir}/run0/munged.pid`, `--log-file=${dir}/run0/munged.log`, `--seed-file=${dir}/run0/munged.seed`],
	]);
	await until("munged answers", async () => (await run("munge", ["-n", `--socket=${dir}/run0/munge.sock`])).stdout !== "");
	if (options.accounting) await startAccounting(daemons, { dir, host, port: accountsPort, databasePort });
	const startController = async () => {
		await daemons.start("slurmctld", [...as("slurm", "slurm"), "slurmctld", "-D"]);
		await until("slurmctld answers", async () => (await command("scontrol", "ping")).includes("UP"));
	};
	const startRest = async () => {
		const plugins = restPlugins(await command("slurmrestd", "-V"));
		const rest = ["slurmrestd", "-a", "rest_auth/jwt", "-s", plugins, "-t", "4", `127.0.0.1:${restPort}`];
		await daemons.start("slurmrestd", [...as("nobody", "nogroup"), ...rest], { SLURM_JWT: "daemon" });
		await until("slurmrestd listens", () => listens(restPort));
	};
	await startController();
	const nodes = nodeNames(options.nodes);
	const startNode = (node: string) => daemons.start(node, ["slurmd", "-D", "-N", node]);
	for (const node of nodes) await startNode(node);
	await startRest();
	await until("all nodes are idle", async () => {
		const states = (await command("sinfo", "-h", "-N", "-o", "%T")).split("\n");
		return states.length === nodes.length && states.every((s) => s === "idle");
	});
	return {
		url: `http://127.0.0.1:${restPort}`,
		conf: path.join(dir, "etc/slurm.conf"),
		shared: path.join(dir, "shared"),
		nodes,
		token: async (lifespan = 3_600, user = "root") =>
			(await command("scontrol", "token", `username=${user}`, `lifespan=${lifespan}`)).replace("SLURM_JWT=", ""),
		command,
		commandAs: async (user, folder, program, ...args) => {
			const become = [`--reuid=${user}`, `--regid=${user}`, "--init-groups", program, ...args];
			return (await run("setpriv", become, { env: daemons.env, cwd: folder })).stdout.trim();
		},
		killController: () => daemons.kill("slurmctld"),
		startController,
		killRest: () => daemons.kill("slurmrestd"),
		startRest,
		async restartNode(node, gpus) {
			await daemons.kill(node);
			// A daemon reads it when it starts.
			await writeFile(path.join(dir, "etc/gres.conf"), gresConf(conf, new Map([[node, gpus]])));
			await startNode(node);
		},
		async stop() {
			guard.ref();
			guard.stdin.end();
			await guarded;
		},
	};
}

/** Its own database, slurmdbd, and the cluster's name in it, which the controller requires. */
async function startAccounting(
	daemons: Daemons,
	{ dir, host, ...ports }: { dir: string; host: string; port: number; databasePort: number },
) {
	const conf = path.join(dir, "etc/slurmdbd.conf");
	await writeFile(conf, slurmdbdConf({ dir, host, ...ports }), { mode: 0o600 });
	await chown(conf, await idOf("slurm", "-u"), await idOf("slurm", "-g"));
	const data = path.join(dir, "mysql");
	const socket = path.join(data, "mysql.sock");
	await mkdir(data, { mode: 0o711 });
	await chown(data, await idOf("mysql", "-u"), await idOf("mysql", "-g"));
	const own = { env: daemons.env };
	const install = ["--no-defaults", "--user=mysql", `--datadir=${data}`, "--auth-root-authentication-method=socket", "--skip-test-db"];
	await run("mariadb-install-db", install, own);
	await daemons.start("mariadbd", [
		...["mariadbd", "--no-defaults", "--user=mysql", `--datadir=${data}`, `--socket=${socket}`, `--pid-file=${data}/mysql.pid`],
		...["--bind-address=127.0.0.1", `--port=${ports.databasePort}`, "--innodb-buffer-pool-size=64M", "--innodb-lock-wait-timeout=900"],
		...["--innodb-flush-log-at-trx-commit=2", "--skip-log-bin", "--performance-schema=OFF"],
	]);
	const sql = (text: string) => run("mariadb", ["--no-defaults", "-S", socket, "-e", text], own);
	await until("mariadbd answers", async () => Boolean(await sql("SELECT 1")));
	await sql(
		"CREATE DATABASE slurm_acct; CREATE USER slurm@'127.0.0.1' IDENTIFIED BY 'slurm'; GRANT ALL ON slurm_acct.* TO slurm@'127.0.0.1'",
	);
	// Without name resolution, the server uses this name for loopback.
	await sql("CREATE USER slurm@localhost IDENTIFIED BY 'slurm'; GRANT ALL ON slurm_acct.* TO slurm@localhost");
	await daemons.start("slurmdbd", [...as("slurm", "slurm"), "slurmdbd", "-D"]);
	await until("slurmdbd listens", () => listens(ports.port));
	await run("sacctmgr", ["-i", "add", "cluster", "home"], own);
}

async function idOf(user: string, which: "-u" | "-g"): Promise<number> {
	return Number((await run("id", [which, user])).stdout);
}

/** Folders, keys and device files. */
async function prepare(dir: string, gpusPerNode: number): Promise<void> {
	for (const name of ["etc", "run", "run0", "log", "state", "spool", "dev", "shared"]) await mkdir(path.join(dir, name), { mode: 0o755 });
	const [uid, gid] = [await idOf("slurm", "-u"), await idOf("slurm", "-g")];
	for (const name of ["run", "log", "state"]) await chown(path.join(dir, name), uid, gid);
	await writeFile(path.join(dir, "etc/munge.key"), randomBytes(128), { mode: 0o400 });
	const jwt = path.join(dir, "etc/jwt.key");
	await writeFile(jwt, randomBytes(32), { mode: 0o600 });
	await chown(jwt, uid, gid);
	// Aliases of /dev/null: Slurm only checks that they are devices.
	for (let i = 0; i < gpusPerNode; i++) await run("mknod", [path.join(dir, "dev", `gpu${i}`), "c", "1", "3"]);
}

class Daemons {
	readonly env: NodeJS.ProcessEnv;
	readonly #dir: string;
	readonly #running = new Map<string, ChildProcess>();

	constructor(dir: string) {
		this.#dir = dir;
		// Inherits nothing from the tests' environment. Next's types require NODE_ENV.
		this.env = { PATH: SYSTEM_PATH, TZ: "UTC", SLURM_CONF: path.join(dir, "etc/slurm.conf") } as unknown as NodeJS.ProcessEnv;
	}

	async start(name: string, [program = "", ...args]: string[], env: Record<string, string> = {}): Promise<void> {
		const log = openSync(path.join(this.#dir, `${name}.out`), "a");
		const child = spawn(program, args, { env: { ...this.env, ...env }, stdio: ["ignore", log, log], detached: true });
		this.#running.set(name, child);
		await once(child, "spawn");
		child.unref();
	}

	async kill(name: string): Promise<void> {
		const child = this.#running.get(name);
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		child.ref();
		const gone = once(child, "exit");
		child.kill("SIGKILL");
		await gone;
	}
}

function as(user: string, group: string): string[] {
	return ["setpriv", `--reuid=${user}`, `--regid=${group}`, "--clear-groups"];
}

async function freePorts(count: number): Promise<[number, number, ...number[]]> {
	const ports = new Set<number>();
	while (ports.size < count) ports.add(await freePort());
	return [...ports] as [number, number, ...number[]];
}

/** Not an ephemeral port of the system (from 32768 on), because the servers listen only later. */
async function freePort(): Promise<number> {
	const port = randomInt(20_000, 32_000);
	return (await listens(port)) ? freePort() : port;
}

function listens(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
		socket.on("connect", () => socket.end());
	});
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
	for (let i = 0; i < START_TRIES; i++) {
		if (await look().catch(() => false)) return;
		await sleep(START_STEP_MS);
	}
	throw new Error(`the test's Slurm does not start: waited without success until ${what}`);
}
