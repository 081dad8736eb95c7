import type { z } from "zod";
import { teamSchema } from "#server/contract/outputs/account.ts";
import { pageOf } from "#server/contract/parts.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { NONE } from "../render/format.ts";
import { table } from "../render/table.ts";

type Verb = (ctx: CommandContext, name: string) => Promise<ExitCode>;
const VERBS: Readonly<Record<string, Verb>> = { add, change, rm: remove };

export const teams: Command = {
	name: "teams",
	usage: "ls | add NAME … | change NAME … | rm NAME",
	summary: "list, create and rename teams, with cost centers",
	details: 'A team\'s name stays, because charges and policies use it; renaming changes its title. An empty value ("") removes a field.',
	options: {
		title: { value: "TEXT", help: "what people read instead of the name" },
		"cost-center": { value: "CODE", help: "code in the company's accounts" },
		parent: { value: "NAME", help: "parent team" },
	},
	positionals: { min: 1, max: 2, name: "VERB NAME" },
	examples: [
		"spillway teams ls",
		'spillway teams add vision --title "Computer Vision" --cost-center 4711',
		"spillway teams change vision --parent research",
		"spillway teams rm vision",
	],
	async run(ctx) {
		const [verb = "", name] = ctx.args.positionals;
		if (verb === "ls" && name === undefined) return list(ctx);
		const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
		if (run && name !== undefined) return run(ctx, name);
		throw badInput(`There is no "teams ${[verb, name].filter(Boolean).join(" ")}". Use ls, ${Object.keys(VERBS).join(" NAME, ")} NAME.`);
	},
};

async function list({ io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/teams");
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	type Team = z.infer<typeof teamSchema>;
	const columns = [
		{ head: "TEAM", cell: (t: Team) => t.name },
		{ head: "TITLE", cell: (t: Team) => t.title ?? NONE },
		{ head: "COST CENTER", cell: (t: Team) => t.costCenter ?? NONE },
		{ head: "PART OF", cell: (t: Team) => t.parent ?? NONE },
		{ head: "MEMBERS", cell: (t: Team) => String(t.members), right: true as const },
	];
	io.out(table(io, columns, readAs(pageOf(teamSchema), answer, "list of teams").items, { empty: "No teams yet." }));
	return EXIT.done;
}

function fieldsOf({ args }: CommandContext): Record<string, string | null> {
	const given = { title: args.text("title"), costCenter: args.text("cost-center"), parent: args.text("parent") };
	return Object.fromEntries(Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value || null]])));
}

async function add(ctx: CommandContext, name: string): Promise<ExitCode> {
	const answer = await ctx.client.post("/teams", { name, ...fieldsOf(ctx) });
	ctx.io.out(ctx.json ? `${answer.text}\n` : `${name} added\n`);
	return EXIT.done;
}

async function change(ctx: CommandContext, name: string): Promise<ExitCode> {
	const changes = fieldsOf(ctx);
	if (Object.keys(changes).length === 0) throw badInput("Say what to change: --title, --cost-center or --parent.");
	const answer = await ctx.client.patch(`/teams/${encodeURIComponent(name)}`, changes);
	ctx.io.out(ctx.json ? `${answer.text}\n` : `${name} changed\n`);
	return EXIT.done;
}

async function remove({ client, io, json }: CommandContext, name: string): Promise<ExitCode> {
	const answer = await client.delete(`/teams/${encodeURIComponent(name)}`);
	io.out(json ? `${answer.text}\n` : `${name} deleted\n`);
	return EXIT.done;
}
