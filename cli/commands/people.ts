import type { z } from "zod";
import { account as accountContract } from "#server/contract/account.ts";
import { accountSchema } from "#server/contract/outputs/account.ts";
import { pageOf } from "#server/contract/parts.ts";
import { type Args, badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { ago, NONE } from "../render/format.ts";
import { table } from "../render/table.ts";

type Account = z.infer<typeof accountSchema>;
type Verb = (ctx: CommandContext, who: string) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = {
	add,
	change,
	invite: (ctx, who) => act(ctx, who, "invite", "invited for 7 days"),
	deactivate: (ctx, who) => act(ctx, who, "disable", "deactivated: sessions and tokens end"),
	reactivate: (ctx, who) => act(ctx, who, "enable", "reactivated"),
};

export const people: Command = {
	name: "people",
	usage: "ls | add EMAIL --name TEXT --role ROLE [--team NAME …] [--service] | change WHO … | invite WHO | deactivate WHO | reactivate WHO",
	summary: "list, invite and change people and service accounts",
	details: "WHO is an email address or an account id. Teams given with --team replace the account's teams.",
	options: {
		name: { value: "TEXT", help: "add, change: display name" },
		role: { value: "ROLE", help: "add, change: platform, data_scientist, finance or a custom role" },
		team: { value: "NAME", many: true, help: "add, change: a team; may be repeated" },
		"no-teams": { help: "change: remove from all teams" },
		service: { help: "add: a service account, which uses tokens and cannot sign in" },
	},
	positionals: { min: 1, max: 2, name: "VERB WHO" },
	examples: [
		"spillway people ls",
		'spillway people add ada@example.com --name "Ada Lovelace" --role data_scientist --team research',
		"spillway people change ada@example.com --role finance --no-teams",
		"spillway people deactivate ada@example.com",
	],
	async run(ctx) {
		const [verb = "", who] = ctx.args.positionals;
		if (verb === "ls" && who === undefined) return list(ctx);
		const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
		if (run && who !== undefined) return run(ctx, who);
		throw badInput(`There is no "people ${[verb, who].filter(Boolean).join(" ")}". Use ls, ${Object.keys(VERBS).join(" WHO, ")} WHO.`);
	},
};

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { io, client, json } = ctx;
	const answer = await client.get("/accounts");
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const columns = [
		{ head: "EMAIL", cell: (a: Account) => a.email },
		{ head: "NAME", cell: (a: Account) => a.name },
		{ head: "ROLE", cell: (a: Account) => a.customRole ?? a.role },
		{ head: "TEAMS", cell: (a: Account) => a.teams.join(", ") || NONE },
		{ head: "STATE", cell: stateOf },
		{ head: "LAST SIGN-IN", cell: (a: Account) => ago(lastSignIn(a), io.nowMs()) },
	];
	io.out(table(io, columns, readAs(pageOf(accountSchema), answer, "list of accounts").items, { empty: "No accounts yet." }));
	return EXIT.done;
}

function stateOf({ disabledAt, kind, identities, invitedUntil }: Account): string {
	if (disabledAt !== null) return "deactivated";
	if (kind !== "person") return kind;
	if (identities.some((identity) => identity.linkedAt === null)) return "waits for approval";
	return invitedUntil === null ? "active" : "invited";
}

function lastSignIn({ identities }: Account): string | null {
	return (
		identities
			.flatMap((identity) => identity.lastSignInAt ?? [])
			.sort()
			.at(-1) ?? null
	);
}

async function add(ctx: CommandContext, email: string): Promise<ExitCode> {
	const { args, client, io, json } = ctx;
	const name = args.text("name");
	const role = args.text("role");
	if (name === undefined || role === undefined)
		throw badInput("Give --name TEXT and --role platform, data_scientist, finance or a custom role.");
	const answer = await client.post("/accounts", { email, name, role, teams: args.list("team"), service: args.has("service") });
	const { id } = readAs(accountContract.create.output, answer, "account");
	io.out(json ? `${answer.text}\n` : `${email} added${args.has("service") ? "" : " and invited for 7 days"}: ${id}\n`);
	return EXIT.done;
}

async function change(ctx: CommandContext, who: string): Promise<ExitCode> {
	const { args, client, io, json } = ctx;
	const changes = { name: args.text("name"), role: args.text("role"), teams: teamsOf(args) };
	if (Object.values(changes).every((value) => value === undefined))
		throw badInput("Say what to change: --name, --role, --team or --no-teams.");
	const answer = await client.patch(`/accounts/${encodeURIComponent(await idOf(ctx, who))}`, changes);
	io.out(json ? `${answer.text}\n` : `${who} changed\n`);
	return EXIT.done;
}

function teamsOf(args: Args): string[] | undefined {
	const teams = args.list("team");
	return teams.length > 0 || args.has("no-teams") ? teams : undefined;
}

async function act(ctx: CommandContext, who: string, verb: string, said: string): Promise<ExitCode> {
	const answer = await ctx.client.post(`/accounts/${encodeURIComponent(await idOf(ctx, who))}/${verb}`);
	ctx.io.out(ctx.json ? `${answer.text}\n` : `${who} ${said}\n`);
	return EXIT.done;
}

/** The account of an address; anything without "@" is an id. */
export async function idOf(ctx: CommandContext, who: string): Promise<string> {
	if (!who.includes("@")) return who;
	const accounts = readAs(pageOf(accountSchema), await ctx.client.get("/accounts"), "list of accounts").items;
	const found = accounts.find((account) => account.email.toLowerCase() === who.toLowerCase());
	if (found) return found.id;
	throw new CliError(EXIT.notFound, `No account has the address ${who}. spillway people ls lists them.`);
}
