import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { z } from "zod";
import type { Clock } from "#server/kernel/clock.ts";
import { DriverError } from "../driver-errors.ts";
import type { ParsedSlurmSettings } from "./settings.ts";

const run = promisify(execFile);

/** A token with less remaining lifetime is renewed before it is used. */
const RENEW_BEFORE_MS = 60_000;
/** Interval for reading the token again, so that one replaced before its expiry is noticed. */
const LOOK_AGAIN_MS = 5 * 60_000;
const COMMAND_TIMEOUT_MS = 10_000;

/** The user's token, read from its file or command, and again before it expires or after Slurm rejected it. */
export class SlurmToken {
	readonly #settings: Pick<ParsedSlurmSettings, "token" | "user">;
	readonly #clock: Clock;
	#known: { token: string; readAtMs: number; endsAtMs: number | null } | null = null;

	constructor(settings: Pick<ParsedSlurmSettings, "token" | "user">, clock: Clock) {
		this.#settings = settings;
		this.#clock = clock;
	}

	/** @throws DriverError unauthorized if there is none, or only an expired one */
	async current(): Promise<string> {
		const nowMs = this.#clock.nowMs();
		const known = this.#known;
		const fresh =
			known !== null && nowMs - known.readAtMs < LOOK_AGAIN_MS && (known.endsAtMs ?? Number.POSITIVE_INFINITY) > nowMs + RENEW_BEFORE_MS;
		if (fresh) return known.token;
		const token = await this.#read();
		const endsAtMs = endOf(token);
		if (endsAtMs !== null && endsAtMs <= nowMs) throw this.#refusal(`expired at ${new Date(endsAtMs).toISOString()}`);
		this.#known = { token, readAtMs: nowMs, endsAtMs };
		return token;
	}

	/** Slurm rejected it. Returns whether there is another one now. */
	async renew(refused: string): Promise<boolean> {
		this.#known = null;
		return (await this.current()) !== refused;
	}

	async #read(): Promise<string> {
		const text = await this.#text().catch((error: unknown) => {
			throw this.#refusal(`could not be read (${error instanceof Error ? error.message : String(error)})`);
		});
		// The output of `scontrol token`, with the name of its variable.
		const token = text.trim().replace(/^SLURM_JWT=/, "");
		if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) throw this.#refusal("is not a JSON Web Token");
		return token;
	}

	async #text(): Promise<string> {
		const { token } = this.#settings;
		if ("value" in token) return token.value;
		if ("file" in token) return readFile(token.file, "utf8");
		const [program = "", ...args] = token.command;
		return (await run(program, args, { timeout: COMMAND_TIMEOUT_MS, encoding: "utf8" })).stdout;
	}

	#refusal(what: string): DriverError {
		const { token, user } = this.#settings;
		const from =
			"value" in token ? "that is stored for the site" : "file" in token ? `in ${token.file}` : `that ${token.command[0]} prints`;
		return new DriverError(
			"unauthorized",
			`Slurm: the token ${from} ${what}; create a new one: scontrol token username=${user} lifespan=86400`,
		);
	}
}

const claims = z.looseObject({ exp: z.number().optional() });

/** When a token expires, UTC ms, as written in it; null if it does not say. Slurm checks its signature. */
function endOf(token: string): number | null {
	try {
		const { exp } = claims.parse(JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")));
		return exp === undefined ? null : exp * 1_000;
	} catch {
		return null;
	}
}
