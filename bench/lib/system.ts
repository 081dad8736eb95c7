import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, connect } from "#server/db/client.ts";
import { seedAccounts } from "#server/demo/accounts.ts";
import { seedPolicy } from "#server/demo/policy.ts";
import { seedSites } from "#server/demo/sites.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { systemContext } from "#server/services/core/context.ts";
import { freePort } from "../../scripts/lib/ports.mjs";
import { startPostgres } from "../../scripts/lib/postgres.mjs";
import { makeSettings } from "../../scripts/lib/settings.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const READY_LIMIT_MS = 60_000;

export interface System {
	url: string;
	token: string;
	connection: Connection;
	/** Process id of the web server. */
	webPid: number;
	stop(): Promise<void>;
}

export interface SystemOptions {
	/** Also the scheduler and the emulated cloud. */
	scheduler: boolean;
	/** The demo company with its history, and this password for its accounts; absent: a policy and sites alone. */
	company?: { password: string };
	/** Password of the demo accounts without the company. */
	password?: string;
}

/**
 * The whole product as `npm start` runs it, in a temporary folder: a durable PostgreSQL, the web server of the production build, the
 * scheduler and the emulated cloud, each its own process.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
	if (!existsSync(path.join(root, ".next/BUILD_ID")) || !existsSync(path.join(root, "dist/agent.mjs"))) {
		throw new Error("There is no build to measure. Run npm run build first.");
	}
	const home = mkdtempSync(path.join(tmpdir(), "spillway-bench-"));
	const port = await freePort();
	const settings = await makeSettings(home, { ...process.env, SPILLWAY_PORT: String(port), SPILLWAY_DEMO: "1" });
	const postgres = await startPostgres({
		dir: path.join(home, "postgres"),
		port: settings.postgresPort,
		password: settings.postgresPassword,
	});
	const env = { ...settings.env, DATABASE_URL: postgres.url, SPILLWAY_INSTANCE: randomUUID() };
	const children = new Map<string, ChildProcess>();
	const stop = async (connection?: Connection): Promise<void> => {
		await connection?.end();
		for (const child of [...children.values()].toReversed()) await end(child);
		await postgres.stop();
		rmSync(home, { recursive: true, force: true });
	};
	try {
		await runProgram("migrate", env);
		const connection = connect(postgres.url, { max: 4 });
		const token = options.company ? await seedCompany(env, home, options.company) : await seedSmall(connection, home, options.password);
		for (const name of options.scheduler ? ["aws-emulator", "web", "scheduler"] : ["web"]) children.set(name, start(name, env, home));
		await ready(`http://127.0.0.1:${port}/readyz`, env.SPILLWAY_INSTANCE, home);
		if (options.scheduler) await until(async () => (await connection.sql`select 1 from offer limit 1`).length > 0, "prices are read");
		const webPid = children.get("web")?.pid ?? Number.NaN;
		return { url: `http://127.0.0.1:${port}`, token, connection, webPid, stop: () => stop(connection) };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** @returns a token of the platform engineer */
async function seedSmall(connection: Connection, home: string, password?: string): Promise<string> {
	const ctx = systemContext(connection.db, systemClock, "seed");
	const { token } = await seedAccounts(ctx, home, password);
	await seedSites(ctx, {
		SPILLWAY_HOST: "127.0.0.1",
		SPILLWAY_LOCAL_ACCELERATOR: "L40S-48GB",
		SPILLWAY_LOCAL_SLOTS: 4,
		SPILLWAY_LOCAL_SPEED: 1,
		SPILLWAY_AWS_REGIONS: ["us-east-1", "us-west-2"],
		SPILLWAY_AWS_IMAGE_ID: "ami-00000000000000001",
	});
	await seedPolicy(ctx);
	return token;
}

/** @returns a token of the platform engineer */
async function seedCompany(env: NodeJS.ProcessEnv, home: string, { password }: { password: string }): Promise<string> {
	await runProgram("seed-demo", { ...env, SPILLWAY_DEMO_PASSWORD: password });
	return readFileSync(path.join(home, "token"), "utf8").trim();
}

/** Polls until the condition holds. */
export async function until(holds: () => Promise<boolean>, what: string, limitMs = READY_LIMIT_MS, everyMs = 20): Promise<void> {
	const giveUp = performance.now() + limitMs;
	while (performance.now() < giveUp) {
		if (await holds()) return;
		await sleep(everyMs);
	}
	throw new Error(`waited ${limitMs / 1000} s without success until ${what}`);
}

function start(name: string, env: NodeJS.ProcessEnv, home: string): ChildProcess {
	const log = openSync(path.join(home, `${name}.log`), "a");
	return spawn(process.execPath, [path.join(root, `server/bin/${name}.ts`)], { cwd: root, env, stdio: ["ignore", log, log] });
}

/** Runs a program of `server/bin` to its end. */
export function runProgram(name: string, env: NodeJS.ProcessEnv): Promise<void> {
	return new Promise((resolve, reject) => {
		spawn(process.execPath, [path.join(root, `server/bin/${name}.ts`)], { cwd: root, env, stdio: "inherit" }).on("exit", (code) =>
			code === 0 ? resolve() : reject(new Error(`${name} ended with ${code}`)),
		);
	});
}

async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const gone = new Promise((resolve) => child.once("exit", resolve));
	child.kill("SIGTERM");
	const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
	await gone;
	clearTimeout(timer);
}

async function ready(url: string, instance: string, home: string): Promise<void> {
	await until(async () => {
		try {
			const answer: unknown = await (await fetch(url)).json();
			return typeof answer === "object" && answer !== null && "instance" in answer && answer.instance === instance;
		} catch {
			return false;
		}
	}, "the web server is ready").catch((error: unknown) => {
		throw new Error(`${String(error)}\n${readFileSync(path.join(home, "web.log"), "utf8").slice(-2_000)}`);
	});
}
