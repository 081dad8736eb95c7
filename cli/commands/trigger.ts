import type { z } from "zod";
import { trigger as contract } from "#server/contract/trigger.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { locatedError } from "../located-error.ts";
import { readPipelineText } from "../pipeline-input.ts";
import { exactTime, money, NONE } from "../render/format.ts";
import { type Column, clean, table } from "../render/table.ts";

type Trigger = z.infer<typeof contract.list.output>[number];

export const trigger: Command = {
	name: "trigger",
	usage: "apply|ls|show|enable|disable|rm [TRIGGER]",
	summary: "start pipelines on a schedule, on new data, by events or after other pipelines",
	details: "The file is described in docs/triggers.md. TRIGGER is an id or a name.",
	options: { file: { short: "f", value: "FILE", help: "the trigger file; - reads it from stdin" } },
	positionals: { min: 1, max: 2, name: "VERB [TRIGGER]" },
	examples: ["spillway trigger apply -f examples/pipelines/on-drop.yaml", "spillway trigger ls", "spillway trigger show on-drop"],
	async run(ctx) {
		const [verb = "", given] = ctx.args.positionals;
		if (verb === "apply") return apply(ctx);
		if (verb === "ls") return list(ctx);
		if (!["show", "enable", "disable", "rm"].includes(verb))
			throw badInput(`There is no "trigger ${verb}". Use apply, ls, show, enable, disable or rm.`);
		if (given === undefined) throw badInput(`Name the trigger: spillway trigger ${verb} TRIGGER.`);
		const found = await findTrigger(ctx, given);
		if (verb === "show") return show(ctx, found);
		if (verb === "rm") await ctx.client.delete(`/triggers/${found.id}`);
		else await ctx.client.post(`/triggers/${found.id}/enable`, { enabled: verb === "enable" });
		ctx.io.out(`${found.id}  ${verb === "rm" ? "deleted" : `${verb}d`}\n`);
		return EXIT.done;
	},
};

async function apply(ctx: CommandContext): Promise<ExitCode> {
	const file = ctx.args.text("file");
	if (file === undefined) throw badInput("Name the file: spillway trigger apply -f FILE.");
	const answer = await ctx.client.post("/triggers", { text: await readPipelineText(file, ctx.io) }).catch((error: unknown) => {
		throw locatedError(error, file);
	});
	const { id, name, nextAt, secret } = readAs(contract.create.output, answer, "answer");
	if (ctx.json) ctx.io.out(`${answer.text}\n`);
	else {
		ctx.io.out(`${id}  ${name}${nextAt === null ? "" : `, next at ${exactTime(Date.parse(nextAt))}`}\n`);
		if (secret !== null) ctx.io.out(`key, shown once: ${secret}\n`);
	}
	return EXIT.done;
}

async function readTriggers(ctx: CommandContext): Promise<{ text: string; items: Trigger[] }> {
	const answer = await ctx.client.get("/triggers");
	const { items } = JSON.parse(answer.text) as { items: unknown };
	return { text: answer.text, items: contract.list.output.parse(items) };
}

async function findTrigger(ctx: CommandContext, given: string): Promise<Trigger> {
	const { items } = await readTriggers(ctx);
	const found = items.find(({ id, name }) => id === given || name === given);
	if (found) return found;
	throw new CliError(EXIT.notFound, `There is no trigger "${given}". List them with: spillway trigger ls`);
}

const COLUMNS: readonly Column<Trigger>[] = [
	{ head: "NAME", cell: ({ name }) => name },
	{ head: "TEAM", cell: ({ team }) => team },
	{ head: "WHEN", cell: ({ source }) => clean(sourceWords(source)) },
	{ head: "NEXT", cell: ({ nextAt, enabled }) => (enabled ? (nextAt === null ? NONE : exactTime(Date.parse(nextAt))) : "disabled") },
	{ head: "LAST", cell: ({ firings }) => (firings[0] ? exactTime(Date.parse(firings[0].at)) : NONE) },
	{ head: "STATUS", cell: ({ status, firings }) => clean(status ?? firings[0]?.error ?? NONE) },
];

function sourceWords(source: Trigger["source"]): string {
	switch (source.kind) {
		case "cron":
			return `${source.schedule} (${source.zone})`;
		case "data":
			return `data at ${source.uri}`;
		case "webhook":
			return "event";
		case "after":
			return `after ${source.pipeline}`;
	}
}

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { text, items } = await readTriggers(ctx);
	ctx.io.out(
		ctx.json ? `${text}\n` : table(ctx.io, COLUMNS, items, { empty: "No triggers yet. Save one with: spillway trigger apply -f FILE" }),
	);
	return EXIT.done;
}

const FIRING_COLUMNS: readonly Column<Trigger["firings"][number]>[] = [
	{ head: "FIRED", cell: ({ at }) => exactTime(Date.parse(at)) },
	{ head: "SAW", cell: ({ saw }) => clean(seenText(saw)) },
	{ head: "PIPELINE", cell: ({ pipelineId, error }) => pipelineId ?? clean(error ?? NONE) },
	{ head: "STATE", cell: ({ pipelineState }) => pipelineState ?? NONE },
	{ head: "COST", cell: ({ costMicroUsd }) => money(costMicroUsd), right: true },
];

function seenText({ time, files, bytes, event, pipeline }: Trigger["firings"][number]["saw"]): string {
	if (files !== undefined) return `${files} objects, ${bytes ?? 0} bytes`;
	if (event) return `event ${event.id} of ${event.source}`;
	return pipeline ? `${pipeline.id} ${pipeline.state}` : time;
}

function show(ctx: CommandContext, found: Trigger): ExitCode {
	if (ctx.json) ctx.io.out(`${JSON.stringify(found)}\n`);
	else {
		ctx.io.out(`${found.id}  ${found.name}  ${sourceWords(found.source)}${found.status === null ? "" : `\n${found.status}`}\n\n`);
		ctx.io.out(table(ctx.io, FIRING_COLUMNS, found.firings, { empty: "It has not fired yet." }));
	}
	return EXIT.done;
}
