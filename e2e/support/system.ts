import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

/** The product under test, as started by `npm test -- e2e`: its address and its state folder. */
export const ROOT = path.resolve(import.meta.dirname, "../..");
const { SPILLWAY_HOME: home, SPILLWAY_PORT: port } = process.env;
if (!home || !port) throw new Error("The browser tests run by: npm test -- e2e");
export const HOME = home;
export const BASE_URL = `http://127.0.0.1:${port}`;
export const API_URL = `${BASE_URL}/api/v1`;

/** The demo's emulated clouds, by the name of their port. */
export const CLOUDS = ["aws", "azure", "gcp"] as const;
export type Cloud = (typeof CLOUDS)[number];

const portsSchema = z.looseObject({ postgres: z.number(), aws: z.number(), azure: z.number(), gcp: z.number() });
const secretsSchema = z.looseObject({ postgresPassword: z.string(), secret: z.string(), authSecret: z.string() });

export function token(): string {
	return readFileSync(path.join(HOME, "token"), "utf8").trim();
}

export function emulatorUrl(cloud: Cloud): string {
	return `http://127.0.0.1:${ports()[cloud]}`;
}

export function databaseUrl(): string {
	const { postgresPassword } = secrets();
	return `postgres://spillway:${encodeURIComponent(postgresPassword)}@127.0.0.1:${ports().postgres}/spillway`;
}

/** The signing key of this installation. */
export function secrets(): z.infer<typeof secretsSchema> {
	return secretsSchema.parse(stateFile("secrets.json"));
}

function ports(): z.infer<typeof portsSchema> {
	return portsSchema.parse(stateFile("ports.json"));
}

function stateFile(name: string): unknown {
	return JSON.parse(readFileSync(path.join(HOME, name), "utf8"));
}

/** The command line, as a person runs it in the clone. */
export function spillway(...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
	return new Promise((resolve) => {
		const options = { cwd: ROOT, timeout: 300_000, env: { ...process.env, SPILLWAY_HOME: HOME, SPILLWAY_PORT: port } };
		const child = execFile(process.execPath, ["cli/spillway.mjs", ...args], options, (_error, stdout, stderr) =>
			resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
		);
	});
}
