import { z } from "zod";
import { badInput } from "../args.ts";
import { readAs, UnreachableError } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { count, exactTime } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";
import { saveStream } from "../save-stream.ts";

const VERBS = "audit ls, audit verify, audit export";

const listShape = z.looseObject({
	items: z.array(
		z.looseObject({
			id: z.number(),
			at: z.string(),
			actor: z.string(),
			actorName: z.string().nullable(),
			action: z.string(),
			subject: z.string(),
			via: z.string().nullable(),
			source: z.string().nullable(),
			seal: z.looseObject({ sequence: z.number() }).nullable(),
		}),
	),
	nextCursor: z.string().nullable(),
});

/** Progress, then the result. */
const stepShape = z.looseObject({
	seals: z.number().optional(),
	result: z
		.looseObject({
			broken: z.looseObject({ kind: z.string() }).nullable(),
			verified: z.looseObject({ sequence: z.number(), hash: z.string() }),
			headFound: z.boolean().nullable(),
			sentence: z.string().nullable(),
		})
		.optional(),
});

export const audit: Command = {
	name: "audit",
	usage: "ls [filters] | verify [--head HASH] | export [filters] [--format csv|ndjson] [-o FILE]",
	summary: "show the audit log and verify that it is unchanged",
	details:
		"verify checks the hash chain of the whole log and exits with 5 at the first break. Keep the head that it prints: with --head, a later verify shows that no entries were removed from the end.",
	options: {
		actor: { value: "WHO", help: "account:ID, system:PART, or a part of a person's name or address" },
		action: { value: "ACTION", help: "action or its prefix, such as policy or job.cancel" },
		subject: { value: "ID", help: "id of the changed object, or its prefix" },
		from: { value: "DAY", help: "2026-11-01, or a time such as 2026-11-01T08:00:00Z" },
		to: { value: "DAY", help: "before this day or time, UTC" },
		text: { short: "q", value: "TEXT", help: "text in the values before or after the change" },
		cursor: { value: "CURSOR", help: "audit ls: next page, from nextCursor of --json" },
		limit: { value: "N", help: "audit ls: how many (default: 50)" },
		head: { value: "HASH", help: "audit verify: a head printed earlier, or its first 12 digits" },
		format: { value: "FORMAT", help: "audit export: csv or ndjson (default: csv)" },
		output: { short: "o", value: "FILE", help: "audit export: write it to this file (default: stdout)" },
	},
	positionals: { min: 1, max: 1, name: "ls, verify or export" },
	examples: [
		"spillway audit ls --action policy --from 2026-11-01",
		"spillway audit verify",
		"spillway audit export --from 2026-11-01 --to 2026-12-01 -o audit-2026-11.csv",
	],
	async run(ctx) {
		const [verb = ""] = ctx.args.positionals;
		if (verb === "ls") return list(ctx);
		if (verb === "verify") return verify(ctx);
		if (verb === "export") {
			const query = { ...filters(ctx), format: ctx.args.text("format") };
			await saveStream(ctx.io, ctx.client.bytes("/exports/audit", query), ctx.args.text("output"));
			return EXIT.done;
		}
		throw badInput(`"audit ${verb.slice(0, 60)}" is not possible. There are: ${VERBS}.`);
	},
};

function filters({ args }: CommandContext): Record<string, string | undefined> {
	const names = ["actor", "action", "subject", "from", "to"] as const;
	return { ...Object.fromEntries(names.map((name) => [name, args.text(name)])), q: args.text("text") };
}

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { io, args, client, json } = ctx;
	const page = { cursor: args.text("cursor"), limit: args.wholeNumber("limit", { min: 1, max: 200 }) };
	const answer = await client.get("/audit", { ...filters(ctx), ...page });
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items, nextCursor } = readAs(listShape, answer, "list of the audit");
	io.out(
		table(
			io,
			[
				{ head: "SEAL", cell: (l) => (l.seal ? String(l.seal.sequence) : "(soon)"), right: true },
				{ head: "TIME", cell: (l) => exactTime(Date.parse(l.at)) },
				{ head: "WHO", cell: (l) => l.actorName ?? l.actor },
				{ head: "FROM", cell: (l) => [l.via, l.source].filter(Boolean).join(" ") || "-" },
				{ head: "ACTION", cell: (l) => l.action },
				{ head: "SUBJECT", cell: (l) => l.subject },
			],
			items,
			{ empty: "No matching entries." },
		),
	);
	if (nextCursor !== null)
		io.err(`${styled(io, "dim", `Newest ${count(items.length, "entry", "entries")} shown; older entries: --cursor ${nextCursor}`)}\n`);
	return EXIT.done;
}

async function verify({ io, args, client, json }: CommandContext): Promise<ExitCode> {
	for await (const text of client.lines("/audit/verify", { head: args.text("head") })) {
		const { seals = 0, result } = readAs(stepShape, { text, json: JSON.parse(text) }, "verification");
		if (!result) {
			if (!json && io.progress) io.err(`\r${count(seals, "line")} verified`);
			continue;
		}
		if (!json && io.progress) io.err("\r\u001b[K");
		if (json) io.out(`${JSON.stringify(result)}\n`);
		else if (result.sentence !== null) io.out(`The chain is broken. ${result.sentence}\n`);
		else io.out(`The chain is intact: ${count(result.verified.sequence, "line")}.\nhead ${result.verified.hash}\n`);
		return result.broken === null ? EXIT.done : EXIT.conflict;
	}
	throw new UnreachableError("The verification was interrupted. Run it again.");
}
