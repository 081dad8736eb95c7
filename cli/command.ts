import type { Args, Options } from "./args.ts";
import type { Client } from "./client.ts";
import type { ExitCode } from "./exit.ts";
import type { Io } from "./io.ts";

export interface CommandContext {
	io: Io;
	client: Client;
	/** Print the API's JSON and nothing else on stdout. */
	json: boolean;
	args: Args;
}

export interface Command {
	name: string;
	/** What is behind the name: `[-f FILE | -- COMMAND…]`. */
	usage: string;
	summary: string;
	/** More for its help, where the summary does not say it all. */
	details?: string;
	options: Options;
	positionals: { min: number; max: number; name: string };
	/** Runs on this machine and asks no server: the settings for one are not even read. */
	local?: true;
	/** True when `-- …` means something. */
	takesCommand?: true;
	examples: readonly string[];
	run(ctx: CommandContext): Promise<ExitCode>;
}
