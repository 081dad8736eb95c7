import type { z } from "zod";
import { budgetDetailSchema, budgetStatusSchema, capChangedSchema } from "#server/contract/outputs/budget.ts";
import { pageOf } from "#server/contract/parts.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { about, exactTime, label, money, NONE } from "../render/format.ts";
import { fields, heading, table } from "../render/table.ts";

export const budgets: Command = {
	name: "budgets",
	usage: "[show ID | add ID --cap USD --message TEXT | set ID --cap USD --message TEXT]",
	summary: "show budgets (cap, spend, holds, forecast), add them and change caps",
	details:
		"Adding a budget or setting a cap publishes a policy version with only that entry changed. If a second person must approve, it is proposed and waits for them.",
	options: {
		cap: { value: "USD", help: "add, set: the cap, in dollars" },
		message: { value: "TEXT", help: "add, set: reason, shown with the policy version" },
		period: { value: "DATE", help: "show: an earlier period, by its first day; add: month (default), quarter or year" },
		scope: { value: "CEL", help: "add: condition on the jobs that count (default: every job)" },
	},
	positionals: { min: 0, max: 2, name: "VERB ID" },
	examples: [
		"spillway budgets",
		"spillway budgets show cloud-month",
		`spillway budgets add nlp-month --scope 'job.team == "nlp"' --cap 4000 --message "A cap for the new team"`,
		'spillway budgets set cloud-month --cap 60000 --message "Two more teams"',
	],
	async run(ctx) {
		const [verb, id] = ctx.args.positionals;
		if (verb === undefined) return list(ctx);
		if (id === undefined || id === "") throw badInput(`Name the budget, for example: spillway budgets ${verb} cloud-month`);
		if (verb === "show") return show(ctx, id);
		if (verb === "add" || verb === "set") return putCap(ctx, verb, id);
		throw badInput(`There is no "budgets ${verb}". There are: budgets, budgets show ID, budgets add ID, budgets set ID.`);
	},
};

type Budget = z.infer<typeof budgetStatusSchema>;

function forecastOf({ forecast }: Budget): string {
	return forecast ? `${about(forecast.expectedMicroUsd)} (${money(forecast.lowMicroUsd)} to ${money(forecast.highMicroUsd)})` : NONE;
}

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { io } = ctx;
	const answer = await ctx.client.get("/budgets");
	if (ctx.json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	io.out(
		table(
			io,
			[
				{ head: "BUDGET", cell: (b) => b.id },
				{ head: "PERIOD", cell: (b) => b.period },
				{ head: "CAP", cell: (b) => money(b.capMicroUsd), right: true },
				{ head: "SPENT", cell: (b) => money(b.postedMicroUsd), right: true },
				{ head: "SET ASIDE", cell: (b) => money(b.heldMicroUsd), right: true },
				{ head: "FREE", cell: (b) => money(b.freeMicroUsd), right: true, style: (b) => (BigInt(b.freeMicroUsd) <= 0n ? "red" : null) },
				{ head: "FORECAST", cell: forecastOf, right: true },
				{ head: "UNTIL", cell: (b) => exactTime(b.periodEndMs) },
				{ head: "AT CAP", cell: (b) => b.atCap.replaceAll("_", " ") },
				{ head: "FOR", cell: (b) => (b.scope === "true" ? "every job" : b.scope) },
			],
			readAs(pageOf(budgetStatusSchema), answer, "list of budgets").items,
			{ empty: "The active policy has no budgets, so cloud spend has no cap." },
		),
	);
	return EXIT.done;
}

async function show(ctx: CommandContext, id: string): Promise<ExitCode> {
	const { io } = ctx;
	const answer = await ctx.client.get(`/budgets/${encodeURIComponent(id)}`, { period: ctx.args.text("period") });
	if (ctx.json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const budget = readAs(budgetDetailSchema, answer, "budget");
	io.out(`${heading(io, budget.id)}\n${budget.sentence}\n\n`);
	io.out(
		fields(io, [
			["Period", `${budget.period} from ${budget.periodKey}, until ${exactTime(budget.periodEndMs)}`],
			["Cap", money(budget.capMicroUsd)],
			["Spent", money(budget.postedMicroUsd)],
			["Held", `${money(budget.heldMicroUsd)} for ${budget.machines} live ${budget.machines === 1 ? "machine" : "machines"}`],
			["Free", money(budget.freeMicroUsd)],
			["Forecast", budget.forecast ? forecastOf(budget) : "needs seven complete days of data"],
		]),
	);
	const spent = [...budget.teams.map((t) => ({ name: t.team, sum: t.postedMicroUsd }))];
	if (BigInt(budget.otherTeamsMicroUsd) !== 0n) spent.push({ name: "other teams", sum: budget.otherTeamsMicroUsd });
	io.out(`\n${heading(io, "Top spenders")}\n`);
	io.out(
		table(
			io,
			[
				{ head: "TEAM", cell: (t) => t.name },
				{ head: "SPENT", cell: (t) => money(t.sum), right: true },
			],
			spent,
			{ empty: "No spend yet." },
		),
	);
	if (budget.jobs.length > 0) {
		io.out(`\n${heading(io, "Most expensive jobs")}\n`);
		io.out(
			table(
				io,
				[
					{ head: "JOB", cell: (j) => j.jobId },
					{ head: "NAME", cell: (j) => j.name },
					{ head: "TEAM", cell: (j) => j.team },
					{ head: "STATE", cell: (j) => label(j.state) },
					{ head: "SPENT", cell: (j) => money(j.postedMicroUsd), right: true },
				],
				budget.jobs,
				{ empty: "" },
			),
		);
	}
	return EXIT.done;
}

async function putCap(ctx: CommandContext, verb: "add" | "set", id: string): Promise<ExitCode> {
	const { io, args } = ctx;
	const cap = args.text("cap");
	const message = args.text("message");
	if (cap === undefined) throw badInput("--cap is missing: give the cap in dollars, for example --cap 60000");
	if (message === undefined) throw badInput('--message is missing: say why, for example --message "Two more teams"');
	const change = { capUsd: cap.replace(/^\$/, "").replaceAll(",", ""), message };
	const [scope, period] = [args.text("scope"), args.text("period")];
	const answer =
		verb === "set"
			? await ctx.client.put(`/budgets/${encodeURIComponent(id)}`, change)
			: await ctx.client.post("/budgets", { id, ...change, ...(scope && { scope }), ...(period && { period }) });
	if (ctx.json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const done = readAs(capChangedSchema, answer, "answer");
	const caps = verb === "add" ? `${id}  ${money(done.toMicroUsd)}` : `${id}  ${money(done.fromMicroUsd)} -> ${money(done.toMicroUsd)}`;
	io.out(
		done.kind === "changed"
			? `${caps}  policy version ${done.policyVersion}\n`
			: `${caps}  waiting for another person's approval: ${done.proposalId}\n`,
	);
	return EXIT.done;
}
