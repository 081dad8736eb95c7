import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Args, badInput } from "./args.ts";
import { loginFile, savedLogin } from "./login-file.ts";

export interface Settings {
	/** Without a trailing slash. */
	url: string;
	token: string | null;
	/** Source of the token, or where it was looked for, for messages. Never the token itself. */
	tokenSource: string;
	/** The W3C trace of the command, as headers. */
	traceHeaders?: Record<string, string>;
}

const PORT_DEFAULT = 3000;
const TOKEN = /^[\x21-\x7e]{1,256}$/;
const PACKAGE_ROOT = path.resolve(import.meta.dirname, "..");

export interface Surroundings {
	env: Readonly<Record<string, string | undefined>>;
	cwd: string;
	/** The clone; tests provide their own. */
	packageRoot?: string;
}

/** @throws CliError when the address or the token is malformed */
export function readSettings(args: Args, around: Surroundings): Settings {
	const url = urlOf(args, around);
	return { url, ...tokenOf(args, around, url), traceHeaders: traceHeadersOf(around.env) };
}

function traceHeadersOf({ TRACEPARENT, TRACESTATE }: Surroundings["env"]): Record<string, string> {
	if (!TRACEPARENT || !/^[\da-f-]+$/.test(TRACEPARENT)) return {};
	return { traceparent: TRACEPARENT, ...(TRACESTATE && /^[\x20-\x7e]+$/.test(TRACESTATE) && { tracestate: TRACESTATE }) };
}

function urlOf(args: Args, { env }: Surroundings): string {
	const given = args.text("url");
	const [source, text] =
		given !== undefined ? ["--url", given] : env.SPILLWAY_URL ? ["SPILLWAY_URL", env.SPILLWAY_URL] : ["SPILLWAY_PORT", portUrl(env)];
	const url = URL.canParse(text) ? new URL(text) : null;
	if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
		throw badInput(`${source}: "${text}" is not an address such as http://127.0.0.1:${PORT_DEFAULT}.`);
	if (url.username !== "" || url.password !== "") throw badInput(`${source}: the address must not contain a user or password.`);
	return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function portUrl(env: Surroundings["env"]): string {
	const text = env.SPILLWAY_PORT || String(PORT_DEFAULT);
	const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
	if (port < 1 || port > 65_535) throw badInput(`SPILLWAY_PORT: "${text}" is not a port from 1 to 65535.`);
	return `http://127.0.0.1:${port}`;
}

function tokenOf(args: Args, around: Surroundings, url: string): Pick<Settings, "token" | "tokenSource"> {
	const flag = args.text("token");
	if (flag !== undefined) return checked(flag, "--token");
	if (around.env.SPILLWAY_TOKEN) return checked(around.env.SPILLWAY_TOKEN, "SPILLWAY_TOKEN");
	const saved = savedLogin(around.env, url);
	if (saved !== null) return checked(saved.token, loginFile(around.env));
	const files = tokenFiles(around);
	for (const file of files) {
		if (!existsSync(file)) continue;
		try {
			return checked(readFileSync(file, "utf8"), file);
		} catch (error) {
			const code = (error as NodeJS.ErrnoException).code;
			if (code === undefined) throw error;
			throw badInput(`The token file ${file} cannot be read (${code}); only the user who started Spillway can read it.`);
		}
	}
	return { token: null, tokenSource: `spillway login, --token, SPILLWAY_TOKEN or ${files.join(" or ")}` };
}

function tokenFiles({ env, cwd, packageRoot = PACKAGE_ROOT }: Surroundings): string[] {
	if (env.SPILLWAY_HOME) return [path.join(path.resolve(cwd, env.SPILLWAY_HOME), "token")];
	return [...new Set([path.join(packageRoot, ".spillway/token"), path.join(cwd, ".spillway/token")])];
}

function checked(text: string, tokenSource: string): Pick<Settings, "token" | "tokenSource"> {
	const token = text.trim();
	if (!TOKEN.test(token)) throw badInput(`${tokenSource}: this is not a token: 1 to 256 printable characters without spaces.`);
	return { token, tokenSource };
}
