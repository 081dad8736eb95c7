import type { Args, Options } from "./args.ts";
import type { Client } from "./client.ts";
import type { ExitCode } from "./exit.ts";
import type { Io } from "./io.ts";

export interface CommandContext {
	io: Io;
	client: Client;
	/** Print only the API's JSON on stdout. */
	json: boolean;
	args: Args;
}

export interface Command {
	name: string;
	/** Arguments after the name: `[-f FILE | -- COMMAND…]`. */
	usage: string;
	summary: string;
	/** Additional help, if the summary is not enough. */
	details?: string;
	options: Options;
	positionals: { min: number; max: number; name: string };
	/** Runs on this machine without a server: server settings are not even read. */
	local?: true;
	/** True when `-- …` is allowed. */
	takesCommand?: true;
	examples: readonly string[];
	run(ctx: CommandContext): Promise<ExitCode>;
}
