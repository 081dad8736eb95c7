import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { freePort } from "../../scripts/lib/ports.mjs";
import { databaseUrl, ROOT, secrets } from "./system.ts";

/** Another web server on the same database, with its own settings. It stops when `use` returns. */
export async function withWebServer(settings: Record<string, string>, use: (url: string) => Promise<void>): Promise<void> {
	const port = String(await freePort());
	await withProgram("web", "The web server listens", { SPILLWAY_PORT: port, ...settings }, () => use(`http://127.0.0.1:${port}`));
}

/** A scheduler with its own settings, which leads when `use` is called. */
export function withScheduler(settings: Record<string, string>, use: () => Promise<void>): Promise<void> {
	return withProgram("scheduler", "This scheduler is the leader", settings, use);
}

/** Another emulated EC2 endpoint, with its machines and records in `home`. */
export async function withAwsEmulator(home: string, use: (url: string) => Promise<void>): Promise<void> {
	const url = `http://127.0.0.1:${await freePort()}`;
	await withProgram("aws-emulator", "emulated EC2 endpoint ready", { SPILLWAY_AWS_ENDPOINT: url, SPILLWAY_HOME: home }, () => use(url));
}

async function withProgram(name: string, ready: string, settings: Record<string, string>, use: () => Promise<void>): Promise<void> {
	const { secret, authSecret } = secrets();
	const env = {
		...process.env,
		NODE_ENV: "production" as const,
		DATABASE_URL: databaseUrl(),
		SPILLWAY_SECRET: secret,
		AUTH_SECRET: authSecret,
	};
	const child = spawn(process.execPath, [`server/bin/${name}.ts`], {
		cwd: ROOT,
		env: { ...env, ...settings },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const ended = once(child, "exit");
	try {
		await Promise.race([
			printed(child.stdout, ready),
			ended.then(([code]) => {
				throw new Error(`the second ${name} ended with ${code} before it was ready`);
			}),
		]);
		child.stdout.resume();
		await use();
	} finally {
		child.kill("SIGTERM");
		await ended;
	}
}

async function printed(output: NodeJS.ReadableStream, text: string): Promise<void> {
	for await (const line of createInterface(output)) if (line.includes(text)) return;
}
