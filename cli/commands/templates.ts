import type { z } from "zod";
import { pageOf } from "#server/contract/parts.ts";
import {
	savedTemplateSchema,
	templateDetailSchema,
	templateQuoteSchema,
	templateRunSchema,
	templateSchema,
} from "#server/contract/template.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { findPipelineId } from "../find-pipeline.ts";
import { locatedError } from "../located-error.ts";
import { parametersOf, readPipelineText } from "../pipeline-input.ts";
import { exactTime, money, NONE } from "../render/format.ts";
import { pipelineQuoteText } from "../render/pipeline-quote.ts";
import { type Column, clean, table } from "../render/table.ts";
import { quoteText } from "./quote.ts";

type Template = z.infer<typeof templateSchema>;
type Detail = z.infer<typeof templateDetailSchema>;
type Quote = z.infer<typeof templateQuoteSchema>;

export const templates: Command = {
	name: "templates",
	usage: "ls|save|show|quote|run|rm [TEMPLATE]",
	summary: "save team templates of jobs, pipelines and sweeps, and run them with parameters",
	details:
		"TEMPLATE is an id or a name. save creates the template TEMPLATE, by default with the name in the file; to change one, pass the version that the change is based on with --base. run prints the quote, then submits.",
	options: {
		file: { short: "f", value: "FILE", help: "save: the job, pipeline or sweep file; - reads it from stdin" },
		pipeline: { value: "PIPELINE", help: "save: the file of this pipeline or sweep instead" },
		description: { value: "TEXT", help: "save: shown in lists" },
		base: { value: "N", help: "save: the version that the change is based on" },
		param: { value: "K=V", many: true, help: "quote, run: a parameter; may be repeated" },
		version: { value: "N", help: "show: an earlier version" },
		team: { value: "TEAM", help: "templates of this team only" },
	},
	positionals: { min: 1, max: 2, name: "VERB [TEMPLATE]" },
	examples: [
		"spillway templates save -f examples/pipelines/retrain.yaml",
		"spillway templates ls",
		"spillway templates show retrain-fraud",
		"spillway templates run retrain-fraud --param month=2026-10",
	],
	async run(ctx) {
		const [verb = "", given] = ctx.args.positionals;
		if (verb === "ls" && given === undefined) return list(ctx);
		if (verb === "save") return save(ctx, given);
		if (!["show", "quote", "run", "rm"].includes(verb))
			throw badInput(`There is no "templates ${[verb, given].filter(Boolean).join(" ")}". Use ls, save, show, quote, run or rm.`);
		if (given === undefined) throw badInput(`Name the template: spillway templates ${verb} TEMPLATE.`);
		const found = await findTemplate(ctx, given);
		if (verb === "show") return show(ctx, found);
		if (verb === "quote") return quote(ctx, found);
		if (verb === "run") return run(ctx, found);
		const answer = await ctx.client.delete(`/templates/${found.id}`);
		ctx.io.out(ctx.json ? `${answer.text}\n` : `${found.id}  deleted\n`);
		return EXIT.done;
	},
};

const COLUMNS: readonly Column<Template>[] = [
	{ head: "NAME", cell: ({ name }) => name },
	{ head: "KIND", cell: ({ kind }) => kind },
	{ head: "TEAM", cell: ({ team }) => team },
	{ head: "VERSION", cell: ({ version }) => String(version), right: true },
	{ head: "SAVED BY", cell: ({ savedBy }) => clean(savedBy) },
	{ head: "SAVED", cell: ({ savedAt }) => exactTime(Date.parse(savedAt)) },
	{ head: "DESCRIPTION", cell: ({ description }) => clean(description) },
];

async function readTemplates({ args, client }: CommandContext): Promise<{ text: string; items: Template[] }> {
	const answer = await client.get("/templates", { team: args.text("team") });
	return { text: answer.text, items: readAs(pageOf(templateSchema), answer, "list of templates").items };
}

async function findTemplate(ctx: CommandContext, given: string): Promise<Template> {
	const found = (await readTemplates(ctx)).items.filter(({ id, name }) => id === given || name === given);
	const [first] = found;
	if (!first) throw new CliError(EXIT.notFound, `There is no template "${given}". List them with: spillway templates ls`);
	if (found.length === 1) return first;
	throw badInput(`Templates of ${found.map(({ team }) => team).join(" and ")} have the name "${given}". Choose one with --team.`);
}

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { text, items } = await readTemplates(ctx);
	const empty = "No templates yet. Save one with: spillway templates save -f FILE";
	ctx.io.out(ctx.json ? `${text}\n` : table(ctx.io, COLUMNS, items, { empty }));
	return EXIT.done;
}

async function save(ctx: CommandContext, name: string | undefined): Promise<ExitCode> {
	const { args, client, io, json } = ctx;
	const [file, from] = [args.text("file"), args.text("pipeline")];
	if ((file === undefined) === (from === undefined))
		throw badInput("Name the file: spillway templates save -f FILE, or --pipeline PIPELINE.");
	const source = from === undefined ? { text: await readPipelineText(file ?? "-", io) } : { pipelineId: await findPipelineId(ctx, from) };
	const baseVersion = args.wholeNumber("base", { min: 1, max: 1e9 });
	const body = { ...source, name, description: args.text("description"), baseVersion };
	const answer = await client.post("/templates", body).catch((error: unknown) => {
		throw file === undefined ? error : locatedError(error, file);
	});
	const saved = readAs(savedTemplateSchema, answer, "answer");
	io.out(json ? `${answer.text}\n` : `${saved.id}  ${saved.name}  version ${saved.version}\n`);
	return EXIT.done;
}

type Parameter = Detail["parameters"][number];

const PARAMETERS: readonly Column<Parameter>[] = [
	{ head: "PARAMETER", cell: ({ name }) => name },
	{ head: "TYPE", cell: ({ type }) => type },
	{ head: "DEFAULT", cell: (parameter) => (parameter.default === null ? "required" : clean(String(parameter.default))) },
	{ head: "CHOICES", cell: ({ choices }) => (choices === null ? NONE : clean(choices.join(", "))) },
	{ head: "DESCRIPTION", cell: ({ description }) => clean(description ?? "") },
];

const VERSIONS: readonly Column<Detail["versions"][number]>[] = [
	{ head: "VERSION", cell: ({ version }) => String(version), right: true },
	{ head: "SAVED BY", cell: ({ savedBy }) => clean(savedBy) },
	{ head: "SAVED", cell: ({ savedAt }) => exactTime(Date.parse(savedAt)) },
	{ head: "DESCRIPTION", cell: ({ description }) => clean(description) },
];

async function show({ args, client, io, json }: CommandContext, { id }: Template): Promise<ExitCode> {
	const answer = await client.get(`/templates/${id}`, { version: args.wholeNumber("version", { min: 1, max: 1e9 }) });
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const detail = readAs(templateDetailSchema, answer, "template");
	io.out(`${detail.id}  ${detail.name}  ${detail.kind} of ${detail.team}, version ${detail.version} of ${detail.currentVersion}\n\n`);
	io.out(`${table(io, PARAMETERS, detail.parameters, { empty: "No parameters." })}\n`);
	io.out(`${table(io, VERSIONS, detail.versions, { empty: "No versions." })}\n`);
	if (detail.source !== null) io.out(`${detail.source.trimEnd()}\n`);
	return EXIT.done;
}

async function askQuote({ args, client }: CommandContext, { id }: Template): Promise<{ text: string; quoted: Quote }> {
	const answer = await client.post(`/templates/${id}/quotes`, { parameters: parametersOf(args) });
	return { text: answer.text, quoted: readAs(templateQuoteSchema, answer, "quote") };
}

async function quote(ctx: CommandContext, found: Template): Promise<ExitCode> {
	const { text, quoted } = await askQuote(ctx, found);
	if (ctx.json) ctx.io.out(`${text}\n`);
	else if (quoted.pipeline) ctx.io.out(pipelineQuoteText(ctx, quoted.pipeline));
	else if (quoted.job) ctx.io.out(quoteText(ctx, quoted.job));
	return EXIT.done;
}

/** Runs the quoted version. */
async function run(ctx: CommandContext, found: Template): Promise<ExitCode> {
	const { quoted } = await askQuote(ctx, found);
	ctx.io.err(`${shortQuote(quoted)}\n`);
	const body = { parameters: parametersOf(ctx.args), version: quoted.version };
	const answer = await ctx.client.post(`/templates/${found.id}/runs`, body);
	const made = readAs(templateRunSchema, answer, "answer");
	ctx.io.out(ctx.json ? `${answer.text}\n` : `${made.id}  ${made.name}  ${made.kind} from ${found.name} version ${made.version}\n`);
	return EXIT.done;
}

function shortQuote({ pipeline, job }: Quote): string {
	if (pipeline)
		return `quote: finishes ${exactTime(Date.parse(pipeline.finish.p50))}, expected ${money(pipeline.expectedMicroUsd)}, at most ${money(pipeline.maximumMicroUsd)}`;
	const expected = job?.expected;
	return expected
		? `quote: finishes ${exactTime(expected.finish.p50Ms)}, expected new spend ${money(expected.cashMicroUsd)}`
		: `quote: ${clean(job?.reason.message ?? "")}`;
}
