import { readFile } from "node:fs/promises";
import path from "node:path";
import { company } from "#server/contract/company.ts";
import { parseCompanyText } from "#server/domain/company-file.ts";
import { COMPANY_LIMITS, secretRefsOf } from "#server/domain/company-schema.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { badInput } from "../args.ts";
import { ApiError, readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, oneLine } from "../exit.ts";
import { styled } from "../render/style.ts";
import type { CompanyChange } from "../response-types.ts";

const LINES_SHOWN = 40;

export const apply: Command = {
	name: "apply",
	usage: "-f FILE [--yes | --dry-run] [--prune]",
	summary: "apply a company file: teams, groups, people, sites, stores, data sets, rate cards, policy, templates, triggers and channels",
	details:
		"Prints the difference and asks before changing anything; without a terminal, --yes is required. Applying twice changes nothing. docs/company-file.md describes the file.",
	options: {
		file: { short: "f", value: "FILE", help: "the company file; - reads it from stdin" },
		yes: { help: "apply without asking" },
		"dry-run": { help: "print the difference only; exit code 5 when there is one" },
		prune: { help: "also remove what the sections of the file do not list" },
	},
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway apply -f company.yaml", "spillway apply -f company.yaml --yes --prune"],
	async run(ctx) {
		const { args, client, io } = ctx;
		const file = args.text("file");
		if (file === undefined) throw badInput("Name the file: spillway apply -f company.yaml");
		const text = await readText(ctx, file);
		const body = { text, secrets: await readSecrets(ctx, file, text), prune: args.has("prune") };
		const answer = await client.post("/company/plan", body).catch((error: unknown) => {
			throw atPlaces(ctx, file, error);
		});
		const { changes, skipped, hash } = readAs(company.plan.output, answer, "difference");
		const isDry = args.has("dry-run");
		if (ctx.json && (isDry || changes.length === 0)) io.out(`${answer.text}\n`);
		else if (!ctx.json) {
			for (const change of changes) io.out(changeText(ctx, change));
			for (const line of skipped) io.out(`  skipped: ${oneLine(line)}\n`);
		}
		if (changes.length === 0) {
			if (!ctx.json) io.out("No changes.\n");
			return EXIT.done;
		}
		if (isDry) return EXIT.conflict;
		await confirmChanges(ctx, changes.length);
		const done = await client.post("/company/apply", { ...body, hash });
		const { applied } = readAs(company.apply.output, done, "answer");
		io.out(ctx.json ? `${done.text}\n` : `${applied.length} ${applied.length === 1 ? "change" : "changes"} applied.\n`);
		return EXIT.done;
	},
};

async function readText({ io }: CommandContext, file: string): Promise<string> {
	if (file === "-") return io.readStdin(COMPANY_LIMITS.documentBytes);
	return readFile(path.resolve(io.cwd, file), "utf8").catch((error: unknown) => {
		throw badInput(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	});
}

/** The values of `env:NAME` and `file:PATH`; paths are relative to the company file. A file with errors is not read for secrets. */
async function readSecrets(ctx: CommandContext, file: string, text: string): Promise<Record<string, string>> {
	const { io } = ctx;
	const refs = refsIn(ctx, file, text);
	const folder = file === "-" ? io.cwd : path.dirname(path.resolve(io.cwd, file));
	const values = refs.map(async (ref) => {
		const name = ref.slice(ref.indexOf(":") + 1);
		if (ref.startsWith("env:")) {
			const value = io.env[name];
			if (value === undefined || value === "") throw badInput(`${ref}: the environment variable ${name} is not set.`);
			return [ref, value] as const;
		}
		const value = await readFile(path.resolve(folder, name), "utf8").catch(() => null);
		if (value === null) throw badInput(`${ref}: the file cannot be read.`);
		return [ref, value.trim()] as const;
	});
	return Object.fromEntries(await Promise.all(values));
}

function refsIn(ctx: CommandContext, file: string, text: string): string[] {
	try {
		return secretRefsOf(parseCompanyText(text).spec);
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		showPlaces(ctx, file, error.fields);
		throw badInput(error.message);
	}
}

function atPlaces(ctx: CommandContext, file: string, error: unknown): unknown {
	if (!(error instanceof ApiError)) return error;
	showPlaces(ctx, file, error.problem.fields ?? []);
	return new CliError(error.exitCode, error.message);
}

type Place = { path: string; message: string; line?: unknown; column?: unknown };

function showPlaces({ io }: CommandContext, file: string, fields: readonly Place[]): void {
	const name = file === "-" ? "stdin" : file;
	for (const { path: at, message, line, column } of fields) {
		const place = typeof line === "number" && typeof column === "number" ? `${name}:${line}:${column}` : name;
		io.err(`${place}: ${at === "" ? "" : `${at}: `}${oneLine(message)}\n`);
	}
}

const MARKS: Readonly<Record<string, { mark: string; style: "green" | "red" | "yellow" }>> = {
	create: { mark: "+", style: "green" },
	update: { mark: "~", style: "yellow" },
	remove: { mark: "-", style: "red" },
};

function changeText({ io }: CommandContext, { kind, id, action, fields }: CompanyChange): string {
	const { mark, style } = MARKS[action] ?? { mark: "~", style: "yellow" };
	const lines = fields.flatMap(({ field, before, after }) => fieldLines(field, before, after));
	return [styled(io, style, `${mark} ${kind.replace("_", " ")} ${oneLine(id)}`), ...lines.map((line) => `    ${line}`), ""].join("\n");
}

/** Multi-line documents are shown in full when new, and by their changed lines otherwise. */
function fieldLines(field: string, before: string | null, after: string | null): string[] {
	if (!/\n/.test(`${before}${after}`)) return [`${field}: ${before === null ? "" : `${oneLine(before)} -> `}${oneLine(after ?? "none")}`];
	const [old, next] = [before ?? "", after ?? ""].map((text) => text.trimEnd().split("\n"));
	const removed = (old ?? []).filter((line) => before !== null && !(next ?? []).includes(line)).map((line) => `- ${line}`);
	const added = (next ?? []).filter((line) => before === null || !(old ?? []).includes(line)).map((line) => `+ ${line}`);
	const all = [...removed, ...added];
	return [`${field}:`, ...all.slice(0, LINES_SHOWN), ...(all.length > LINES_SHOWN ? [`… ${all.length - LINES_SHOWN} more lines`] : [])];
}

async function confirmChanges({ args, io }: CommandContext, count: number): Promise<void> {
	if (args.has("yes")) return;
	if (!io.ask) throw badInput("Nothing was applied. Give --yes to apply without asking.");
	const answer = await io.ask(`Apply ${count} ${count === 1 ? "change" : "changes"}? [y/N] `);
	if (!/^y(es)?$/i.test(answer)) throw new CliError(EXIT.conflict, "Nothing was applied.");
}
