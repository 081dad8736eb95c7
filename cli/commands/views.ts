import { pageOf } from "#server/contract/parts.ts";
import { viewSchema } from "#server/contract/view.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { table } from "../render/table.ts";

export const views: Command = {
	name: "views",
	usage: "ls | save NAME --query QUERY [--share TEAM] | rm NAME",
	summary: "list, save and delete views of the job list",
	details: "QUERY is the part of the Jobs page's address after the question mark.",
	options: {
		query: { value: "QUERY", help: "save: filters, sort and columns, such as view=failed&team=research" },
		share: { value: "TEAM", help: "save: share it with this team" },
	},
	positionals: { min: 1, max: 2, name: "VERB NAME" },
	examples: ["spillway views ls", 'spillway views save "Failed in research" --query "view=failed&team=research" --share research'],
	async run(ctx) {
		const [verb = "", name] = ctx.args.positionals;
		if (verb === "ls" && name === undefined) return list(ctx);
		if (verb === "save" && name !== undefined) return save(ctx, name);
		if (verb === "rm" && name !== undefined) return remove(ctx, name);
		throw badInput(`There is no "views ${[verb, name].filter(Boolean).join(" ")}". Use ls, save NAME, rm NAME.`);
	},
};

async function read({ client }: CommandContext) {
	const answer = await client.get("/views");
	return { answer, items: readAs(pageOf(viewSchema), answer, "list of views").items };
}

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { answer, items } = await read(ctx);
	const columns = [
		{ head: "NAME", cell: (v: (typeof items)[number]) => v.name },
		{ head: "OWNER", cell: (v: (typeof items)[number]) => (v.isMine ? "you" : v.owner) },
		{ head: "SHARED WITH", cell: (v: (typeof items)[number]) => v.team ?? "not shared" },
		{ head: "QUERY", cell: (v: (typeof items)[number]) => v.query },
	];
	ctx.io.out(ctx.json ? `${answer.text}\n` : table(ctx.io, columns, items, { empty: "No saved views yet." }));
	return EXIT.done;
}

async function save(ctx: CommandContext, name: string): Promise<ExitCode> {
	const query = ctx.args.text("query");
	if (query === undefined) throw badInput('Give the view with --query, such as --query "view=failed&team=research".');
	const answer = await ctx.client.post("/views", { name, query, team: ctx.args.text("share") ?? null });
	ctx.io.out(ctx.json ? `${answer.text}\n` : `${readAs(viewSchema, answer, "view").name} saved\n`);
	return EXIT.done;
}

async function remove(ctx: CommandContext, name: string): Promise<ExitCode> {
	const mine = (await read(ctx)).items.find((view) => view.isMine && view.name === name);
	if (!mine) throw new CliError(EXIT.notFound, `You have no saved view "${name}". See: spillway views ls`);
	const answer = await ctx.client.delete(`/views/${mine.id}`);
	ctx.io.out(ctx.json ? `${answer.text}\n` : `${name} deleted\n`);
	return EXIT.done;
}
