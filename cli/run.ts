import { readFileSync } from "node:fs";
import path from "node:path";
import { suggestName } from "#server/kernel/nearest-name.ts";
import { type Args, badInput, parseCommandArgs, splitCommand } from "./args.ts";
import { ApiError, Client } from "./client.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands/all.ts";
import { describeProblem } from "./describe-problem.ts";
import { CliError, EXIT, type ExitCode, oneLine } from "./exit.ts";
import { commandHelp, overview } from "./help.ts";
import type { Io } from "./io.ts";
import { readSettings, type Settings } from "./settings.ts";

const NO_SERVER: Settings = { url: "", token: null, tokenSource: "" };

/** Runs one command; every failure is one line on stderr and an exit code. Only bugs throw. */
export async function runCli(argv: readonly string[], io: Io): Promise<ExitCode> {
	try {
		return await dispatch(argv, io);
	} catch (error) {
		if (io.signal.aborted && !(error instanceof CliError)) return EXIT.interrupted;
		if (!(error instanceof CliError)) throw error;
		io.err(`spillway: ${oneLine((error instanceof ApiError && describeProblem(error.problem)) || error.message)}\n`);
		return error.exitCode;
	}
}

async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
	const { name, rest } = splitCommand(argv);
	if (name === null) {
		if (rest.includes("--version") || rest.includes("-V")) return version(io, false);
		parseCommandArgs(rest, {});
		io.out(overview(COMMANDS));
		return rest.length === 0 || rest.includes("--help") || rest.includes("-h") ? EXIT.done : EXIT.badInput;
	}
	if (name === "help") return help(parseCommandArgs(rest, {}), io);
	if (name === "version") {
		const args = parseCommandArgs(rest, {});
		if (!args.has("help")) return version(io, args.has("json"));
		io.out("Usage: spillway version [--json]\n\nPrint the version of this command and of Node.\n");
		return EXIT.done;
	}
	const command = COMMANDS.find((c) => c.name === name);
	if (!command) throw badInput(`There is no command "${name}". ${suggestName(name, [...COMMANDS.map((c) => c.name), "version", "help"])}`);
	const args = parseCommandArgs(rest, command.options);
	if (args.has("help")) {
		io.out(commandHelp(command));
		return EXIT.done;
	}
	checkPositionals(command, args);
	const client = new Client(command.local ? NO_SERVER : readSettings(args, io), io.signal);
	return command.run({ io, client, json: args.has("json"), args });
}

function checkPositionals(command: Command, args: Args): void {
	const { min, max, name } = command.positionals;
	const given = args.positionals.length;
	const usage = `Usage: spillway ${command.name} ${command.usage}`;
	if (args.command !== null && !command.takesCommand) throw badInput(`"--" is not accepted here. ${usage}`);
	if (given < min) throw badInput(`${name} is missing. ${usage}`);
	if (given > max) {
		const extra = args.positionals[max] ?? "";
		throw badInput(`"${extra}" is one argument too many.${command.takesCommand ? " Give the command to run after --." : ""} ${usage}`);
	}
}

function help(args: Args, io: Io): ExitCode {
	const [name] = args.positionals;
	const command = COMMANDS.find((c) => c.name === name);
	if (name !== undefined && !command && name !== "help" && name !== "version")
		throw badInput(
			`There is no command "${name}". ${suggestName(
				name,
				COMMANDS.map((c) => c.name),
			)}`,
		);
	io.out(command ? commandHelp(command) : overview(COMMANDS));
	return EXIT.done;
}

function version(io: Io, json: boolean): ExitCode {
	const file = path.resolve(import.meta.dirname, "../package.json");
	const { version: own } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
	io.out(json ? `${JSON.stringify({ version: own, node: process.versions.node })}\n` : `spillway ${own} (Node ${process.versions.node})\n`);
	return EXIT.done;
}
