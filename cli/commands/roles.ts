import type { z } from "zod";
import { pageOf } from "#server/contract/parts.ts";
import { role as roleContract, roleSchema } from "#server/contract/role.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { table } from "../render/table.ts";

type Role = z.infer<typeof roleSchema>;
type Verb = (ctx: CommandContext, name: string) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = { create, change, rm: remove };

export const roles: Command = {
	name: "roles",
	usage: "ls | create NAME --base ROLE --allow PERMISSION… | change NAME --allow PERMISSION… | rm NAME",
	summary: "list roles, and define custom ones from permissions",
	details:
		"A custom role restricts a built-in role: it has only the permissions given with --allow. Assign it by its name, like a built-in role: spillway people change WHO --role NAME.",
	options: {
		base: { value: "ROLE", help: "create: platform, data_scientist or finance" },
		allow: { value: "PERMISSION", many: true, help: "create, change: a permission of the base; may be repeated" },
	},
	positionals: { min: 1, max: 2, name: "VERB NAME" },
	examples: [
		"spillway roles ls",
		"spillway roles create operator --base platform --allow job:read --allow job:cancel --allow capacity:read",
		"spillway roles change operator --allow job:read --allow capacity:read",
		"spillway roles rm operator",
	],
	async run(ctx) {
		const [verb = "", name] = ctx.args.positionals;
		if (verb === "ls" && name === undefined) return list(ctx);
		const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
		if (run && name !== undefined) return run(ctx, name);
		throw badInput(`There is no "roles ${[verb, name].filter(Boolean).join(" ")}". Use ls, ${Object.keys(VERBS).join(" NAME, ")} NAME.`);
	},
};

async function list({ io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/roles");
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const columns = [
		{ head: "NAME", cell: (r: Role) => r.name },
		{ head: "BASE", cell: (r: Role) => r.base ?? "built in" },
		{ head: "ACCOUNTS", cell: (r: Role) => String(r.accounts) },
		{ head: "PERMISSIONS", cell: (r: Role) => r.permissions.join(", ") },
	];
	io.out(table(io, columns, readAs(pageOf(roleSchema), answer, "list of roles").items, { empty: "No roles yet." }));
	return EXIT.done;
}

async function create(ctx: CommandContext, name: string): Promise<ExitCode> {
	const base = ctx.args.text("base");
	if (base === undefined) throw badInput("Give --base platform, data_scientist or finance.");
	return report(ctx, await ctx.client.post("/roles", { name, base, permissions: allowed(ctx) }), "created");
}

async function change(ctx: CommandContext, name: string): Promise<ExitCode> {
	return report(ctx, await ctx.client.patch(pathOf(name), { permissions: allowed(ctx) }), "changed");
}

async function remove(ctx: CommandContext, name: string): Promise<ExitCode> {
	return report(ctx, await ctx.client.delete(pathOf(name)), "deleted");
}

const pathOf = (name: string) => `/roles/${encodeURIComponent(name)}`;

function allowed({ args }: CommandContext): string[] {
	const permissions = args.list("allow");
	if (permissions.length === 0)
		throw badInput("Give --allow PERMISSION at least once. spillway roles ls lists the permissions of each role.");
	return permissions;
}

function report({ io, json }: CommandContext, answer: Awaited<ReturnType<CommandContext["client"]["get"]>>, what: string): ExitCode {
	const { name } = readAs(roleContract.create.output, answer, "role");
	io.out(json ? `${answer.text}\n` : `Role ${name} ${what}\n`);
	return EXIT.done;
}
