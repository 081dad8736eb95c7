import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { SETUP_STEPS } from "#server/contract/inputs/setup.ts";
import { APPROVER_CHOICES, BURST_CHOICES, LEAVE_CHOICES, REGION_CHOICES } from "#server/domain/first-policy.ts";
import { SETUP_TESTS } from "#server/domain/setup-test.ts";
import { badInput } from "../args.ts";
import { Client, readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { saveToken } from "../login-file.ts";
import { readSettings } from "../settings.ts";
import { runSetupTest } from "../setup-test.ts";

const CAP_USD_MAX = 100_000_000;
const WAIT_MINUTES_MAX = 7 * 24 * 60;

const neededShape = z.looseObject({ isNeeded: z.boolean() });
const createdShape = z.looseObject({ token: z.string() });
const setupShape = z.looseObject({
	steps: z.record(z.enum(SETUP_STEPS), z.enum(["open", "done", "skipped"])),
	teams: z.array(z.string()),
});
const previewShape = z.looseObject({ source: z.string() });

type Setup = z.infer<typeof setupShape>;

/** How to complete a step, by command. */
const COMMANDS: Readonly<Record<keyof Setup["steps"], string>> = {
	company: "spillway init --zone ZONE",
	team: "spillway init --team NAME",
	cluster: "spillway site add NAME --provider slurm, kubernetes or local",
	cloud: "spillway site add NAME --provider aws, azure or gcp",
	store: "spillway stores add NAME",
	policy: "spillway init --leave WHAT --cap USD",
	test: "spillway init --test home --test cloud",
};

export const init: Command = {
	name: "init",
	usage:
		"[--code CODE --email ADDRESS --name TEXT --password-file FILE] [--zone ZONE] [--team NAME] [--leave … --cap USD …] [--test WHERE …] [--skip STEP …]",
	summary: "set up an empty installation: administrator, time zone, first team, first policy, test jobs",
	details:
		"Asks for missing values on a terminal. Without a terminal, steps without flags stay open. Running it again resumes where it stopped. The set-up page in the browser does the same.",
	options: {
		code: { value: "CODE", help: "set-up code, printed by npm start and in the server's log" },
		email: { value: "ADDRESS", help: "administrator: email address" },
		name: { value: "TEXT", help: "administrator: name" },
		"password-file": { value: "FILE", help: "administrator: file with the password; - reads it from stdin" },
		zone: { value: "ZONE", help: "time zone of charges, such as Europe/Berlin" },
		team: { value: "NAME", help: "first team" },
		"cost-center": { value: "CODE", help: "the first team's cost center" },
		leave: { value: "WHAT", help: `policy: which jobs may leave: ${LEAVE_CHOICES.join(", ")}` },
		regions: { value: "WHERE", help: `policy: ${REGION_CHOICES.join(", ")} (default: anywhere)` },
		cap: { value: "USD", help: "policy: monthly cap on cloud spend, in whole dollars" },
		burst: { value: "WHEN", help: `policy: when a job may leave: ${BURST_CHOICES.join(", ")} (default: wait)` },
		wait: { value: "MINUTES", help: "policy: forecast wait for --burst wait (default: 30)" },
		approver: { value: "WHO", help: `policy: who approves: ${APPROVER_CHOICES.join(", ")} (default: none)` },
		above: { value: "USD", help: "policy: only jobs that cost more need approval (default: 0)" },
		test: { value: "WHERE", many: true, help: "run a test job: home, or cloud for at most $1; may be repeated" },
		skip: { value: "STEP", many: true, help: `${SETUP_STEPS.join(", ")}; may be repeated` },
		yes: { help: "publish the policy without asking" },
	},
	positionals: { min: 0, max: 0, name: "" },
	examples: [
		"spillway init",
		"spillway init --zone Europe/Berlin --team research --leave not_sensitive --cap 5000 --yes",
		"spillway init --test home --test cloud",
	],
	async run(ctx) {
		const signed = await administrator(ctx);
		const setup = readAs(setupShape, await signed.client.get("/setup"), "set-up");
		await company(signed, setup);
		await team(signed, setup);
		for (const step of ["cluster", "cloud", "store"] as const) await isOver(signed, setup, step);
		await policy(signed, setup);
		const exit = await test(signed, setup);
		const { steps } = readAs(setupShape, await signed.client.get("/setup"), "set-up");
		const open = SETUP_STEPS.filter((step) => steps[step] === "open");
		ctx.io.out(
			open.length === 0
				? "Set-up is complete. Next: spillway people add, spillway submit.\n"
				: `Still open (--skip STEP to skip):\n${open.map((step) => `  ${step.padEnd(8)} ${COMMANDS[step]}\n`).join("")}`,
		);
		return exit;
	},
};

async function administrator(ctx: CommandContext): Promise<CommandContext> {
	const { args, client, io } = ctx;
	const { isNeeded } = readAs(neededShape, await client.get("/setup/administrator"), "set-up");
	if (!isNeeded) return ctx;
	const body = {
		code: await given(ctx, "code", "Set-up code (npm start prints it): "),
		email: await given(ctx, "email", "Your email address: "),
		name: await given(ctx, "name", "Your name: "),
		password: await password(ctx),
	};
	const { token } = readAs(createdShape, await client.post("/setup/administrator", body), "administrator");
	const settings = readSettings(args, io);
	const file = saveToken(io.env, settings.url, { token });
	io.err(`${body.email} is the administrator. Token saved in ${file}.\n`);
	return { ...ctx, client: new Client({ ...settings, token, tokenSource: file }, io.signal) };
}

async function given(ctx: CommandContext, flag: string, question: string): Promise<string> {
	const value = ctx.args.text(flag) ?? (await ctx.io.ask?.(question));
	if (value) return value;
	throw badInput(`No administrator can sign in yet. Give --${flag}.`);
}

async function password({ args, io }: CommandContext): Promise<string> {
	const file = args.text("password-file");
	if (file === "-") return (await io.readStdin(1_000)).trim();
	if (file !== undefined) {
		const text = await readFile(path.resolve(io.cwd, file), "utf8").catch(() => null);
		if (text === null) throw badInput(`${file} cannot be read.`);
		return text.trim();
	}
	if (!io.ask) throw badInput("No administrator can sign in yet. Give --password-file FILE.");
	const typed = await io.ask("Password (at least 12 characters): ", { secret: true });
	if (typed !== (await io.ask("Repeat the password: ", { secret: true }))) throw badInput("The passwords differ.");
	return typed;
}

/** Whether a step is skipped by flag or done; a skipped one is recorded. */
async function isOver(ctx: CommandContext, setup: Setup, step: keyof Setup["steps"]): Promise<boolean> {
	if (setup.steps[step] === "done") return true;
	if (!ctx.args.list("skip").includes(step)) return false;
	await ctx.client.post("/setup/skip", { step });
	return true;
}

async function company(ctx: CommandContext, setup: Setup): Promise<void> {
	if (await isOver(ctx, setup, "company")) return;
	const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
	const zone = ctx.args.text("zone") ?? (ctx.io.ask && ((await ctx.io.ask(`Time zone of charges [${here}]: `)) || here));
	if (zone === undefined) return;
	await ctx.client.put("/setup/company", { zone });
	ctx.io.err(`Reports are in US dollars; days and months follow ${zone}.\n`);
}

async function team(ctx: CommandContext, setup: Setup): Promise<void> {
	if (await isOver(ctx, setup, "team")) return;
	const name = ctx.args.text("team") ?? (await ctx.io.ask?.("First team (empty to leave for later): "));
	if (!name) return;
	await ctx.client.post("/teams", { name, costCenter: ctx.args.text("cost-center") ?? null });
	ctx.io.err(`Team ${name} added.\n`);
}

/** Test jobs by flag; the first team pays. */
async function test(ctx: CommandContext, setup: Setup): Promise<ExitCode> {
	if (await isOver(ctx, setup, "test")) return EXIT.done;
	for (const text of ctx.args.list("test")) {
		const where = SETUP_TESTS.find((one) => one === text);
		if (where === undefined) throw badInput(`--test: "${text}" is not one of ${SETUP_TESTS.join(", ")}.`);
		const team = ctx.args.text("team") ?? setup.teams[0];
		if (team === undefined) throw badInput("--test: add a team first, with --team NAME.");
		const exit = await runSetupTest(ctx, where, team);
		if (exit !== EXIT.done) return exit;
	}
	return EXIT.done;
}

async function policy(ctx: CommandContext, setup: Setup): Promise<void> {
	if (await isOver(ctx, setup, "policy")) return;
	const { args, client, io } = ctx;
	const leave = await choice(ctx, "leave", LEAVE_CHOICES, "Which jobs may leave your cluster");
	if (leave === undefined) return;
	const answers = { leave, ...(leave === "nothing" ? { monthlyCapUsd: 1, burst: "wait", approver: "none" } : await cloudAnswers(ctx)) };
	const { source } = readAs(previewShape, await client.post("/setup/policy", answers), "policy");
	io.err(`\n${source}\n`);
	const agreed = args.has("yes") || /^y(es)?$/i.test((await io.ask?.("Publish this policy? [y/N] ")) ?? "");
	if (!agreed) {
		io.err("Policy not published. Run spillway init again with --yes, or edit it under Policies.\n");
		return;
	}
	// The step is open only while no policy exists.
	await client.put("/policies/default", { source, message: "First policy, from spillway init" }, { "if-none-match": "*" });
	io.err("Policy published.\n");
}

async function cloudAnswers(ctx: CommandContext) {
	const { args, io } = ctx;
	const asked = io.ask !== undefined;
	const capText = args.text("cap") ?? (await io.ask?.("Monthly cap on cloud spend, in whole dollars: "));
	const monthlyCapUsd = Number(capText ?? Number.NaN);
	if (!Number.isInteger(monthlyCapUsd) || monthlyCapUsd < 1 || monthlyCapUsd > CAP_USD_MAX)
		throw badInput(`--cap: give whole dollars from 1 to ${CAP_USD_MAX}, for example --cap 5000.`);
	const approver = (await choice(ctx, "approver", APPROVER_CHOICES, "Who approves before a job leaves", asked)) ?? "none";
	return {
		monthlyCapUsd,
		approver,
		regions: (await choice(ctx, "regions", REGION_CHOICES, "Where may they go", asked)) ?? "anywhere",
		burst: (await choice(ctx, "burst", BURST_CHOICES, "When may a job leave", asked)) ?? "wait",
		waitMinutes: args.wholeNumber("wait", { min: 1, max: WAIT_MINUTES_MAX }) ?? 30,
		approvalAboveUsd: args.wholeNumber("above", { min: 0, max: CAP_USD_MAX }) ?? 0,
	};
}

/** One of a few values, by flag or question; undefined when neither gives one. */
async function choice<Value extends string>(
	{ args, io }: CommandContext,
	flag: string,
	values: readonly Value[],
	question: string,
	isAsked = true,
): Promise<Value | undefined> {
	const text = args.text(flag) ?? (isAsked ? await io.ask?.(`${question} (${values.join(", ")})? `) : undefined);
	if (text === undefined || text === "") return undefined;
	const found = values.find((value) => value === text);
	if (found === undefined) throw badInput(`--${flag}: "${text}" is not one of ${values.join(", ")}.`);
	return found;
}
