import { readFile } from "node:fs/promises";
import path from "node:path";
import type { z } from "zod";
import { secretSchema } from "#server/contract/outputs/secret.ts";
import { pageOf } from "#server/contract/parts.ts";
import { secret as secretContract } from "#server/contract/secret.ts";
import { SECRET_LIMITS } from "#server/domain/job-secret.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { ago } from "../render/format.ts";
import { table } from "../render/table.ts";

type Secret = z.infer<typeof secretSchema>;

export const secrets: Command = {
	name: "secrets",
	usage: "ls | set TEAM/NAME [--from FILE | --server-file PATH | --vault PATH#KEY] | rm TEAM/NAME",
	summary: "list, set and delete job secrets",
	details: "A value is read from stdin, a file or the terminal, never from an argument, and is never shown again.",
	options: {
		from: { value: "FILE", help: "set: read the value from this file (default: stdin or the terminal)" },
		"server-file": { value: "PATH", help: "set: the value is a file on the server, in the team's folder of SPILLWAY_SECRET_FILES" },
		vault: { value: "PATH#KEY", help: "set: the value is in the team's part of the server's Vault" },
	},
	positionals: { min: 1, max: 2, name: "VERB TEAM/NAME" },
	examples: [
		"spillway secrets ls",
		"spillway secrets set research/hf-token < token.txt",
		"spillway secrets set research/db --vault database#password",
		"spillway secrets rm research/hf-token",
	],
	async run(ctx) {
		const [verb = "", of] = ctx.args.positionals;
		if (verb === "ls" && of === undefined) return list(ctx);
		if (verb === "set" && of !== undefined) return set(ctx, of);
		if (verb === "rm" && of !== undefined) return remove(ctx, of);
		throw badInput(`There is no "secrets ${[verb, of].filter(Boolean).join(" ")}". Use ls, set TEAM/NAME, rm TEAM/NAME.`);
	},
};

async function list({ io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/secrets");
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const columns = [
		{ head: "TEAM", cell: (s: Secret) => s.team },
		{ head: "NAME", cell: (s: Secret) => s.name },
		{ head: "VALUE", cell: (s: Secret) => sourceText(s.source) },
		{ head: "CHANGED", cell: (s: Secret) => ago(s.changedAt, io.nowMs()) },
		{ head: "LAST USED", cell: (s: Secret) => ago(s.lastUsedAt, io.nowMs()) },
	];
	io.out(table(io, columns, readAs(pageOf(secretSchema), answer, "list of secrets").items, { empty: "No secrets yet." }));
	return EXIT.done;
}

function sourceText(source: Secret["source"]): string {
	if (source.kind === "stored") return "stored";
	return source.kind === "file" ? `file ${source.path}` : `vault ${source.path}#${source.key}`;
}

async function set(ctx: CommandContext, of: string): Promise<ExitCode> {
	const { args, client, io, json } = ctx;
	const target = pathOf(of);
	const file = args.text("server-file");
	const vault = args.text("vault");
	if ([file, vault, args.text("from")].filter((one) => one !== undefined).length > 1)
		throw badInput("Use one of --from, --server-file and --vault.");
	const body =
		file !== undefined ? { file } : vault !== undefined ? { vault: vaultOf(vault) } : { value: await readValue(ctx, args.text("from")) };
	const answer = await client.put(target, body);
	const { team, name, version } = readAs(secretContract.set.output, answer, "secret");
	io.out(json ? `${answer.text}\n` : `${team}/${name} set (version ${version}). New attempts receive it.\n`);
	return EXIT.done;
}

/** The trailing line break from editors and echo is not part of the value. */
async function readValue({ io }: CommandContext, from: string | undefined): Promise<string> {
	const limit = SECRET_LIMITS.valueCharactersMax * 4;
	if (from !== undefined) return withoutLastBreak(await readFile(path.resolve(io.cwd, from), "utf8"));
	if (io.ask) return io.ask("Value: ", { secret: true });
	return withoutLastBreak(await io.readStdin(limit));
}

function withoutLastBreak(text: string): string {
	return text.replace(/\r?\n$/, "");
}

function vaultOf(text: string): { path: string; key: string } {
	const at = text.lastIndexOf("#");
	if (at <= 0 || at === text.length - 1) throw badInput("--vault needs PATH#KEY, for example database#password.");
	return { path: text.slice(0, at), key: text.slice(at + 1) };
}

function pathOf(of: string): string {
	const [team = "", name = "", ...rest] = of.split("/");
	if (team === "" || name === "" || rest.length > 0) throw badInput("Name a secret as TEAM/NAME, for example research/hf-token.");
	return `/teams/${encodeURIComponent(team)}/secrets/${encodeURIComponent(name)}`;
}

async function remove({ client, io, json }: CommandContext, of: string): Promise<ExitCode> {
	const answer = await client.delete(pathOf(of));
	io.out(json ? `${answer.text}\n` : `${of} deleted; jobs that name it fail when they start\n`);
	return EXIT.done;
}
