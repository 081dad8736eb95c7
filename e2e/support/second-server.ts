import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { freePort } from "../../scripts/lib/ports.mjs";
import { databaseUrl, ROOT, secrets } from "./system.ts";

/** Another web server on the same database, with its own settings. It stops when `use` returns. */
export async function withWebServer(settings: Record<string, string>, use: (url: string) => Promise<void>): Promise<void> {
	const port = String(await freePort());
	const { secret, authSecret } = secrets();
	const env = {
		...process.env,
		NODE_ENV: "production" as const,
		DATABASE_URL: databaseUrl(),
		SPILLWAY_PORT: port,
		SPILLWAY_SECRET: secret,
		AUTH_SECRET: authSecret,
	};
	const child = spawn(process.execPath, ["server/bin/web.ts"], {
		cwd: ROOT,
		env: { ...env, ...settings },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const ended = once(child, "exit");
	try {
		await Promise.race([
			listening(child.stdout),
			ended.then(([code]) => {
				throw new Error(`the second web server ended with ${code} before it listened`);
			}),
		]);
		await use(`http://127.0.0.1:${port}`);
	} finally {
		child.kill("SIGTERM");
		await ended;
	}
}

async function listening(output: NodeJS.ReadableStream): Promise<void> {
	for await (const line of createInterface(output)) if (line.includes("The web server listens")) return;
}
