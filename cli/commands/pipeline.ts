import type { z } from "zod";
import {
	pipelineDetailSchema,
	pipelinePageSchema,
	pipelineQuoteSchema,
	type pipelineSchema,
	type stepSchema,
	submittedPipelineSchema,
} from "#server/contract/pipeline.ts";
import { badInput } from "../args.ts";
import { type Answer, readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findPipelineId } from "../find-pipeline.ts";
import { locatedError } from "../located-error.ts";
import { parametersOf, readPipelineText } from "../pipeline-input.ts";
import { count, duration, exactTime, money, NONE } from "../render/format.ts";
import { pipelineQuoteText } from "../render/pipeline-quote.ts";
import { type Column, clean, table } from "../render/table.ts";
import { waitForPipeline } from "../wait-for-pipeline.ts";

type Pipeline = z.infer<typeof pipelineSchema>;
type Detail = z.infer<typeof pipelineDetailSchema>;
type Step = z.infer<typeof stepSchema>;

export const pipeline: Command = {
	name: "pipeline",
	usage: "quote|submit|ls|show|cancel|retry [PIPELINE]",
	summary: "submit and manage pipelines and sweeps",
	details:
		"The file is a pipeline or a sweep (docs/pipelines.md). retry repeats the steps that did not succeed and reuses the results of the others; with --from it repeats that step and its dependents. PIPELINE is an id, or a name (the newest with that name).",
	options: {
		file: { short: "f", value: "FILE", help: "the pipeline or sweep file; - reads it from stdin" },
		param: { value: "K=V", many: true, help: "a parameter of the file; may be repeated" },
		wait: { help: "submit: wait until it has ended" },
		from: { value: "STEP", help: "retry: repeat this step and its dependents" },
		state: { value: "STATE", many: true, help: "ls: running, cancelling, succeeded, failed or cancelled" },
		team: { value: "TEAM", many: true, help: "ls: team; may be repeated" },
		limit: { value: "N", help: "ls: how many (default: 50)" },
	},
	positionals: { min: 1, max: 2, name: "VERB [PIPELINE]" },
	examples: [
		"spillway pipeline quote -f examples/pipelines/languages.yaml",
		"spillway pipeline submit -f examples/pipelines/languages.yaml --param epochs=8 --wait",
		"spillway pipeline ls --state running",
		"spillway pipeline show languages",
		"spillway pipeline retry languages --from evaluate",
	],
	async run(ctx) {
		const [verb = "", given] = ctx.args.positionals;
		if (verb === "quote") return quote(ctx);
		if (verb === "submit") return submit(ctx);
		if (verb === "ls") return list(ctx);
		if (verb !== "show" && verb !== "cancel" && verb !== "retry")
			throw badInput(`There is no "pipeline ${verb}". Use quote, submit, ls, show, cancel or retry.`);
		if (given === undefined) throw badInput(`Name the pipeline: spillway pipeline ${verb} PIPELINE.`);
		const id = await findPipelineId(ctx, given);
		if (verb === "show") return show(ctx, await ctx.client.get(`/pipelines/${id}`));
		const from = ctx.args.text("from");
		const answer = await ctx.client.post(
			`/pipelines/${id}/${verb}`,
			verb === "retry" ? { ...(from !== undefined && { from }) } : undefined,
		);
		ctx.io.out(ctx.json ? `${answer.text}\n` : `${id}  ${verb === "retry" ? "running" : "cancelling"}\n`);
		return EXIT.done;
	},
};

/** Sends the file to `path`; problems get their position in the file. */
async function sendFile(ctx: CommandContext, verb: string, path: string): Promise<Answer> {
	const { args, io } = ctx;
	const file = args.text("file");
	if (file === undefined) throw badInput(`Name the file: spillway pipeline ${verb} -f FILE.`);
	const body = { text: await readPipelineText(file, io), parameters: parametersOf(args) };
	return ctx.client.post(path, body).catch((error: unknown) => {
		throw locatedError(error, file);
	});
}

async function quote(ctx: CommandContext): Promise<ExitCode> {
	const answer = await sendFile(ctx, "quote", "/pipelines/quotes");
	ctx.io.out(ctx.json ? `${answer.text}\n` : pipelineQuoteText(ctx, readAs(pipelineQuoteSchema, answer, "quote")));
	return EXIT.done;
}

async function submit(ctx: CommandContext): Promise<ExitCode> {
	const { args, io } = ctx;
	const answer = await sendFile(ctx, "submit", "/pipelines");
	const made = readAs(submittedPipelineSchema, answer, "answer");
	if (!args.has("wait")) {
		io.out(ctx.json ? `${answer.text}\n` : `${made.id}  ${made.name}  ${made.kind}, ${count(made.runs, "run")}\n`);
		return EXIT.done;
	}
	io.err(`${made.id} submitted\n`);
	const ended = await waitForPipeline(ctx, made.id);
	show(ctx, ended);
	return readAs(pipelineDetailSchema, ended, "pipeline").state === "succeeded" ? EXIT.done : EXIT.jobFailed;
}

const COLUMNS: readonly Column<Pipeline>[] = [
	{ head: "ID", cell: ({ id }) => id },
	{ head: "NAME", cell: ({ name }) => name },
	{ head: "KIND", cell: ({ kind }) => kind },
	{ head: "TEAM", cell: ({ team }) => team },
	{ head: "STATE", cell: ({ state }) => state },
	{ head: "RUNS", cell: ({ counts, runs }) => `${counts.succeeded}/${runs}`, right: true },
	{ head: "COST", cell: ({ costMicroUsd }) => money(costMicroUsd), right: true },
	{ head: "SUBMITTED", cell: ({ submittedAt }) => exactTime(Date.parse(submittedAt)) },
];

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { args, io } = ctx;
	const limit = args.wholeNumber("limit", { min: 1, max: 200 }) ?? 50;
	const answer = await ctx.client.get("/pipelines", { state: args.list("state"), team: args.list("team"), limit });
	const { items } = readAs(pipelinePageSchema, answer, "list of pipelines");
	io.out(
		ctx.json
			? `${answer.text}\n`
			: table(io, COLUMNS, items, { empty: "No pipelines yet. Submit one with: spillway pipeline submit -f FILE" }),
	);
	return EXIT.done;
}

const STEP_COLUMNS: readonly Column<Step>[] = [
	{ head: "STEP", cell: ({ name }) => name },
	{ head: "NEEDS", cell: ({ needs }) => (needs.length === 0 ? NONE : needs.join(", ")) },
	{ head: "STATE", cell: stateOf },
	{ head: "RUNS", cell: ({ counts, runs }) => `${counts.succeeded}/${runs}`, right: true },
	{ head: "TIME", cell: timeOf, right: true },
	{ head: "COST", cell: ({ costMicroUsd }) => money(costMicroUsd), right: true },
];

function stateOf({ counts, running, why }: Step): string {
	if (running > 0) return "running";
	if (counts.submitted > 0) return "pending";
	if (counts.waiting > 0) return "waiting";
	if (counts.failed > 0) return "failed";
	if (counts.cancelled > 0) return "cancelled";
	return counts.skipped > 0 ? `skipped${why === null ? "" : `: ${why}`}` : "succeeded";
}

function timeOf({ startedAt, finishedAt }: Step): string {
	return startedAt === null || finishedAt === null ? NONE : duration(Date.parse(finishedAt) - Date.parse(startedAt));
}

function show({ io, json }: CommandContext, answer: Answer): ExitCode {
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const detail: Detail = readAs(pipelineDetailSchema, answer, "pipeline");
	const budget = detail.budgetMicroUsd === null ? "" : ` of at most ${money(detail.budgetMicroUsd)}`;
	const from = templateLine(detail);
	io.out(
		`${detail.id}  ${detail.name}  ${detail.state}, ${detail.counts.succeeded} of ${count(detail.runs, "run")}, ${money(detail.costMicroUsd)}${budget}\n${from}\n`,
	);
	io.out(table(io, STEP_COLUMNS, detail.stepList, { empty: "No steps." }));
	return EXIT.done;
}

/** The template and the values of the parameters; empty for a pipeline that has neither. */
function templateLine({ template, parameters }: Detail): string {
	const values = Object.entries(parameters).map(([name, value]) => `${name}=${clean(String(value))}`);
	const from = template ? [`template ${clean(template.name)} version ${template.version}${template.isDeleted ? " (deleted)" : ""}`] : [];
	const parts = [...from, ...values];
	return parts.length === 0 ? "" : `${parts.join("  ")}\n`;
}
