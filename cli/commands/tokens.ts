import type { z } from "zod";
import { token as tokenContract } from "#server/contract/account.ts";
import { tokenSchema } from "#server/contract/outputs/account.ts";
import { pageOf } from "#server/contract/parts.ts";
import { TOKEN_SCOPES } from "#server/domain/token-scopes.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { ago, NONE } from "../render/format.ts";
import { table } from "../render/table.ts";
import { idOf } from "./people.ts";

const DAYS_DEFAULT = 90;
const DAYS_MAX = 365;

export const tokens: Command = {
	name: "tokens",
	usage: "ls | add NAME [--scope SCOPE …] [--days N] [--approval-above USD] [--for WHO] | rm ID",
	summary: "list, create and revoke tokens",
	details: "A new token is printed once, alone on stdout. It acts as its owner, limited to its scopes.",
	options: {
		scope: { value: "SCOPE", many: true, help: `add: ${TOKEN_SCOPES.join(", ")}; may be repeated (default: read and jobs)` },
		days: { value: "N", help: `add: days until it expires, 1 to ${DAYS_MAX} (default: ${DAYS_DEFAULT})` },
		"approval-above": { value: "USD", help: "add: its jobs need approval above this estimated cost (default: no limit)" },
		for: { value: "WHO", help: "add: a service account's address or id (default: yourself)" },
	},
	positionals: { min: 1, max: 2, name: "VERB NAME" },
	examples: ["spillway tokens ls", "spillway tokens add laptop", "spillway tokens add ci --for ci@example.com --scope jobs --days 365"],
	async run(ctx) {
		const [verb = "", of] = ctx.args.positionals;
		if (verb === "ls" && of === undefined) return list(ctx);
		if (verb === "add" && of !== undefined) return add(ctx, of);
		if (verb === "rm" && of !== undefined) return revoke(ctx, of);
		throw badInput(`There is no "tokens ${[verb, of].filter(Boolean).join(" ")}". Use ls, add NAME, rm ID.`);
	},
};

async function list({ io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/tokens");
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	type Token = z.infer<typeof tokenSchema>;
	const columns = [
		{ head: "ID", cell: (t: Token) => t.id },
		{ head: "NAME", cell: (t: Token) => t.name },
		{ head: "OWNER", cell: (t: Token) => t.owner.name },
		{ head: "SCOPES", cell: (t: Token) => t.scopes?.join(", ") ?? "all" },
		{ head: "APPROVAL ABOVE", cell: (t: Token) => (t.approvalAboveUsd === null ? NONE : `$${t.approvalAboveUsd}`) },
		{ head: "LAST USED", cell: (t: Token) => ago(t.lastUsedAt, io.nowMs()) },
		{ head: "EXPIRES", cell: (t: Token) => t.expiresAt ?? NONE },
	];
	io.out(table(io, columns, readAs(pageOf(tokenSchema), answer, "list of tokens").items, { empty: "No tokens yet." }));
	return EXIT.done;
}

async function add(ctx: CommandContext, name: string): Promise<ExitCode> {
	const { args, client, io, json } = ctx;
	const scopes = args.list("scope");
	const owner = args.text("for");
	const limit = args.text("approval-above");
	if (limit !== undefined && !/^\d+(\.\d+)?$/.test(limit)) throw badInput(`--approval-above: "${limit}" is not an amount such as 50.`);
	const answer = await client.post("/tokens", {
		name,
		scopes: scopes.length > 0 ? scopes : ["read", "jobs"],
		expiresInDays: args.wholeNumber("days", { min: 1, max: DAYS_MAX }) ?? DAYS_DEFAULT,
		...(limit !== undefined && { approvalAboveUsd: Number(limit) }),
		...(owner !== undefined && { accountId: await idOf(ctx, owner) }),
	});
	const { id, token, expiresAt } = readAs(tokenContract.create.output, answer, "token");
	if (json) io.out(`${answer.text}\n`);
	else {
		io.err(`${id} is created and expires ${expiresAt}. Save it now; it is not shown again.\n`);
		io.out(`${token}\n`);
	}
	return EXIT.done;
}

async function revoke({ client, io, json }: CommandContext, id: string): Promise<ExitCode> {
	const answer = await client.delete(`/tokens/${encodeURIComponent(id)}`);
	io.out(json ? `${answer.text}\n` : `${id} is revoked; it stops working within 5 seconds\n`);
	return EXIT.done;
}
