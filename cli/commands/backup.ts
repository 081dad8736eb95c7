import { spawn } from "node:child_process";
import path from "node:path";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { installedProgram } from "../installed-program.ts";

/** Runs on the installation's host: it reads the database and SPILLWAY_HOME, not the API. */
const PROGRAM = "scripts/backup.mjs";
const FILE_OPTIONS = {
	"database-only": { help: "leave out checkpoints and outputs of jobs" },
	"with-keys": { help: "include credential-keys and secrets.json: keep such a backup as a secret" },
} as const;

export const backup: Command = {
	name: "backup",
	usage: "FOLDER [--database-only] [--with-keys]",
	summary: "back up the database and job files to a folder while Spillway runs",
	details: `
Takes a consistent snapshot of the database in DATABASE_URL, or of the embedded one in SPILLWAY_HOME.
The folder can be restored into any supported version of PostgreSQL, by this release or a newer one.`,
	local: true,
	options: FILE_OPTIONS,
	positionals: { min: 1, max: 1, name: "FOLDER" },
	examples: ["spillway backup /var/backups/spillway/2026-11-24"],
	run: (ctx) => runProgram(ctx, "backup"),
};

export const restore: Command = {
	name: "restore",
	usage: "FOLDER [--replace] [--database-only] [--with-keys] | --reviewed [--keep MACHINE]... | --kept | --release MACHINE",
	summary: "restore a backup over the database; stop Spillway first",
	details: `
Succeeds completely or changes nothing. Afterwards schedulers launch and terminate nothing until
you have reviewed the clouds: docs/operate.md. Without a folder, shows machines that the restored
database lacks, which --reviewed terminates unless kept, and machines that the clouds lack.`,
	local: true,
	options: {
		replace: { help: "delete what the database holds now" },
		reviewed: { help: "after a restore: let the scheduler continue" },
		keep: { value: "MACHINE", many: true, help: "with --reviewed: leave this machine alone; may be repeated" },
		kept: { help: "list machines kept after a restore: who kept them, price per hour in micro-dollars, cost so far" },
		release: { value: "MACHINE", help: "let the next sweep terminate a kept machine" },
		...FILE_OPTIONS,
	},
	positionals: { min: 0, max: 1, name: "FOLDER" },
	examples: [
		"spillway restore",
		"spillway restore /var/backups/spillway/2026-11-24 --replace",
		"spillway restore --reviewed --keep i-0123",
	],
	run: (ctx) => runProgram(ctx, "restore"),
};

async function runProgram({ io, args }: CommandContext, action: "backup" | "restore"): Promise<ExitCode> {
	const switches = ["replace", "database-only", "with-keys", "reviewed", "kept"]
		.filter((name) => args.has(name))
		.map((name) => `--${name}`);
	const folder = args.positionals.map((place) => path.resolve(io.cwd, place));
	const keep = args.list("keep").flatMap((id) => ["--keep", id]);
	const release = args.has("release") ? ["--release", args.text("release") ?? ""] : [];
	const child = spawn(process.execPath, [installedProgram(PROGRAM), action, ...folder, ...switches, ...keep, ...release], {
		cwd: io.cwd,
		stdio: "inherit",
	});
	return new Promise<ExitCode>((resolve, reject) => {
		child.once("error", (cause) => reject(new CliError(EXIT.server, `The backup program cannot start: ${cause.message}.`, { cause })));
		child.once("close", (code) => resolve(code === 0 ? EXIT.done : code === 2 ? EXIT.badInput : EXIT.server));
	});
}
