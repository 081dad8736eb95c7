import { policyCheckSchema, policySchema, publishedSchema } from "#server/contract/outputs/policy.ts";
import { policy as policyContract } from "#server/contract/policy.ts";
import { badInput } from "../args.ts";
import { ApiError, readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode, oneLine } from "../exit.ts";
import { lintOffline } from "../lint-offline.ts";
import { gitOriginOf, type PolicyFile, readPolicyFile } from "../policy-file.ts";
import { exactTime } from "../render/format.ts";
import type { Problem } from "../response-types.ts";
import { BACKTEST_EXAMPLE, BACKTEST_OPTIONS, runBacktest } from "./backtest.ts";
import { effects } from "./policy-effects.ts";
import { changesText, log, versions } from "./policy-history.ts";
import { runShadow, SHADOW_EXAMPLE, SHADOW_OPTIONS } from "./shadow.ts";

const VERBS = "show, lint, diff, apply, publish, rollback, versions, log, effects, unmanage, backtest, shadow";

export const policy: Command = {
	name: "policy",
	usage:
		"show | lint FILE | diff FILE | apply FILE | publish FILE -m TEXT | rollback VERSION -m TEXT | versions | log | effects | backtest FILE | shadow [FILE]",
	summary: "check, compare, publish and roll back policy versions",
	details: [
		"lint reports what publishing would report, as FILE:LINE:COLUMN, and exits with 2 on errors; --offline needs no server and checks no site names.",
		"diff shows what FILE would change. apply, for CI, publishes FILE only if it changes something; with --git, git becomes the only source of changes.",
		"publish is based on --base, else on the version in the first line of `policy show`, else on the version in force. If someone has published since then, nothing is overwritten.",
	].join("\n"),
	options: {
		message: { short: "m", value: "TEXT", help: "publish, apply, rollback: reason" },
		name: { value: "NAME", help: "the policy (default: the one named default)" },
		offline: { help: "lint: without a server" },
		text: { help: "diff: line by line instead of rule by rule" },
		git: { help: "apply: record the git source (origin, commit, path) and make git the only source" },
		base: { value: "VERSION", help: "publish, rollback: the version that the change is based on" },
		backtest: { value: "ID", help: "publish: id of a finished backtest of this text" },
		...BACKTEST_OPTIONS,
		...SHADOW_OPTIONS,
	},
	positionals: { min: 1, max: 2, name: VERBS },
	examples: [
		"spillway policy show > policy.yaml",
		"spillway policy lint policy.yaml",
		'spillway policy publish policy.yaml -m "Experiments on spot only"',
		"spillway policy apply policy.yaml --git",
		'spillway policy rollback 3 -m "Too much waits"',
		BACKTEST_EXAMPLE,
		SHADOW_EXAMPLE,
	],
	async run(ctx) {
		const [verb = "", given] = ctx.args.positionals;
		const name = ctx.args.text("name") ?? "default";
		const file = (): string => {
			if (given === undefined) throw badInput(`Name the file: spillway policy ${verb} FILE (- is stdin).`);
			return given;
		};
		if (verb === "show") return show(ctx, given ?? name);
		if (verb === "lint") return lint(ctx, name, file());
		if (verb === "diff") return diff(ctx, name, file());
		if (verb === "apply") return publish(ctx, name, file(), "apply");
		if (verb === "publish") return publish(ctx, name, file(), "publish");
		if (verb === "rollback") return rollback(ctx, name, given);
		if (verb === "versions") return versions(ctx, name);
		if (verb === "log") return log(ctx, name);
		if (verb === "effects") return effects(ctx, name);
		if (verb === "unmanage") return unmanage(ctx, name);
		if (verb === "backtest") return runBacktest(ctx, given, name);
		if (verb === "shadow") return runShadow(ctx, given, name);
		throw badInput(`There is no "policy ${verb}". There are: ${VERBS}.`);
	},
};

const pathOf = (name: string): string => `/policies/${encodeURIComponent(name)}`;

async function show(ctx: CommandContext, name: string): Promise<ExitCode> {
	const answer = await ctx.client.get(pathOf(name));
	if (ctx.json) {
		ctx.io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const p = readAs(policySchema, answer, "policy");
	const published = exactTime(Date.parse(p.publishedAt));
	// Comments, so that the output is still a policy file.
	for (const { severity, line, column, message, fix } of p.warnings)
		ctx.io.err(`${severity}: line ${line}, column ${column}: ${oneLine(message)}${fix ? ` ${oneLine(fix)}` : ""}\n`);
	ctx.io.out(`# ${p.name} v${p.version}, published ${published} by ${oneLine(p.author)}: ${oneLine(p.message)}\n${p.source.trimEnd()}\n`);
	return EXIT.done;
}

/** One problem, in the format that editors and pipelines parse. */
function problemLine(file: string, offset: number, { severity, line, column, message, fix }: Problem): string {
	const what = severity === "warning" ? "warning: " : "";
	const text = linesOfFile(oneLine(message), offset);
	return `${file === "-" ? "stdin" : file}:${line + offset}:${column}: ${what}${text}${fix ? ` ${oneLine(fix)}` : ""}\n`;
}

/** Messages refer to lines of the source ("already, in line 6"); a file written by `policy show` has one more line before it. */
function linesOfFile(message: string, offset: number): string {
	return message.replaceAll(/\bline (\d+)\b/g, (_, line: string) => `line ${Number(line) + offset}`);
}

async function lint({ io, client, json, args }: CommandContext, name: string, file: string): Promise<ExitCode> {
	const { source, lineOffset } = await readPolicyFile(file, io);
	let problems: Problem[];
	if (args.has("offline")) {
		const checked = await lintOffline(source);
		problems = checked.problems;
		if (json) io.out(`${JSON.stringify(checked)}\n`);
	} else {
		const answer = await client.post(`${pathOf(name)}/check`, { source });
		problems = readAs(policyCheckSchema, answer, "check").problems;
		if (json) io.out(`${answer.text}\n`);
	}
	if (!json) for (const problem of problems) io.out(problemLine(file, lineOffset, problem));
	return problems.some((p) => p.severity === "error") ? EXIT.badInput : EXIT.done;
}

async function diff({ io, client, json, args }: CommandContext, name: string, file: string): Promise<ExitCode> {
	const { source, lineOffset } = await readPolicyFile(file, io);
	const answer = await client.post(`${pathOf(name)}/check`, { source });
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { ok, problems, published } = readAs(policyCheckSchema, answer, "check");
	for (const problem of problems) io.err(problemLine(file, lineOffset, problem));
	if (published) io.out(changesText(published, args.has("text")));
	else io.out("No version published yet: everything is new.\n");
	return ok ? EXIT.done : EXIT.badInput;
}

async function publish(ctx: CommandContext, name: string, file: string, verb: "publish" | "apply"): Promise<ExitCode> {
	const { io, client, json, args } = ctx;
	const message = args.text("message");
	if (message === undefined && verb === "publish") throw badInput('-m is missing: say why, for example -m "Experiments on spot only".');
	const read = await readPolicyFile(file, io);
	const origin = verb === "apply" && args.has("git") ? await gitOriginOf(file, io) : ({ kind: "cli" } as const);
	const backtestId = args.text("backtest");
	const headers = await conditionOf(ctx, name, verb === "publish" ? read : null);
	const why = message ?? (origin.kind === "git" ? `As committed in ${origin.commit.slice(0, 12)}` : "Applied from a file");
	const body = { source: read.source, message: why, origin, ...(backtestId === undefined ? {} : { backtestId }) };
	const answer = await client.put(pathOf(name), body, headers).catch((error: unknown) => {
		throw withPosition(error, file, read.lineOffset, io);
	});
	if (json) io.out(`${answer.text}\n`);
	else outcome(ctx, name, readAs(publishedSchema, answer, "answer"));
	return EXIT.done;
}

/** If-Match of the version that the text is based on. */
async function conditionOf({ client, args }: CommandContext, name: string, read: PolicyFile | null): Promise<Record<string, string>> {
	const base = args.wholeNumber("base", { min: 0, max: 999_999_999 }) ?? read?.shownVersion ?? null;
	if (base === 0) return { "if-none-match": "*" };
	try {
		const path = base === null ? pathOf(name) : `${pathOf(name)}/versions/${base}`;
		return { "if-match": readAs(policySchema.pick({ etag: true }), await client.get(path), "policy").etag };
	} catch (error) {
		if (base === null && error instanceof ApiError && error.status === 404) return { "if-none-match": "*" };
		throw error;
	}
}

/** A rejection with each of its positions on its own line. */
function withPosition(error: unknown, file: string, offset: number, io: CommandContext["io"]): unknown {
	if (!(error instanceof ApiError)) return error;
	const stale = error.status === 412;
	for (const field of error.problem.fields ?? []) {
		const { line, column } = field;
		if (stale) io.err(`  ${field.path}: ${oneLine(field.message)}\n`);
		else if (typeof line === "number" && typeof column === "number")
			io.err(`${file === "-" ? "stdin" : file}:${line + offset}:${column}: ${linesOfFile(oneLine(field.message), offset)}\n`);
	}
	const fix = stale ? " Merge with spillway policy show, then publish with --base of the version in force." : "";
	return new CliError(error.exitCode, `${stale ? error.problem.detail : error.message}${fix}`);
}

function outcome(
	{ io }: CommandContext,
	name: string,
	{ outcome: what, version, proposalId, warnings }: { outcome: string; version: number; proposalId: string | null; warnings: Problem[] },
): void {
	for (const { severity, line, message } of warnings) io.err(`${severity}: line ${line}: ${oneLine(message)}\n`);
	if (what === "published") io.out(`${name} v${version} is in force\n`);
	else if (what === "unchanged") io.out(`${name} v${version} is already in force: nothing changed\n`);
	else io.out(`waiting for another person's approval: ${proposalId}; ${name} v${version} stays in force\n`);
}

async function rollback(ctx: CommandContext, name: string, given: string | undefined): Promise<ExitCode> {
	const { client, args, io, json } = ctx;
	const version = /^v?([1-9]\d{0,8})$/.exec(given ?? "")?.[1];
	if (version === undefined) throw badInput("Name the version: spillway policy rollback VERSION -m TEXT. `policy versions` lists them.");
	const message = args.text("message");
	if (message === undefined) throw badInput('-m is missing: say why, for example -m "Too many jobs wait".');
	const baseVersion = args.wholeNumber("base", { min: 1, max: 999_999_999 });
	const body = { version: Number(version), message, ...(baseVersion === undefined ? {} : { baseVersion }) };
	const answer = await client.post(`${pathOf(name)}/rollback`, body);
	if (json) io.out(`${answer.text}\n`);
	else outcome(ctx, name, readAs(publishedSchema, answer, "answer"));
	return EXIT.done;
}

async function unmanage({ client, io, json }: CommandContext, name: string): Promise<ExitCode> {
	const answer = await client.post(`${pathOf(name)}/unmanage`);
	const { wasManagedBy } = readAs(policyContract.unmanage.output, answer, "answer");
	if (json) io.out(`${answer.text}\n`);
	else if (wasManagedBy)
		io.out(`${name} can be edited here again; its source was ${wasManagedBy.path} in ${oneLine(wasManagedBy.repository)}\n`);
	else io.out(`${name} was not managed in git\n`);
	return EXIT.done;
}
