import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { z } from "zod";
import { badInput } from "./args.ts";

const savedSchema = z.object({ token: z.string(), /** For revoking it. */ id: z.string().optional() });
const logins = z.record(z.string(), savedSchema);
type Saved = z.output<typeof savedSchema>;

/**
 * Tokens from `spillway login` and `spillway init`, by server address: `~/.config/spillway/logins.json`, readable only
 * by its owner.
 */
export function loginFile(env: Readonly<Record<string, string | undefined>>): string {
	const config = env.XDG_CONFIG_HOME || path.join(env.HOME || os.homedir(), ".config");
	return path.join(config, "spillway", "logins.json");
}

/** @throws CliError when the file cannot be read or is damaged */
function readLogins(file: string): z.output<typeof logins> {
	if (!existsSync(file)) return {};
	try {
		return logins.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch {
		throw badInput(`${file} cannot be read. Delete it and run spillway login again.`);
	}
}

/** The token of an earlier sign-in at this address; null if there is none. */
export function savedLogin(env: Readonly<Record<string, string | undefined>>, url: string): Saved | null {
	return readLogins(loginFile(env))[url] ?? null;
}

/**
 * Saves or deletes the token for this address.
 * @returns the file
 */
export function saveToken(env: Readonly<Record<string, string | undefined>>, url: string, saved: Saved | null): string {
	const file = loginFile(env);
	const { [url]: _, ...others } = readLogins(file);
	mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
	const next = `${file}.${process.pid}`;
	writeFileSync(next, `${JSON.stringify(saved === null ? others : { ...others, [url]: saved }, undefined, "\t")}\n`, { mode: 0o600 });
	chmodSync(next, 0o600);
	renameSync(next, file);
	return file;
}
