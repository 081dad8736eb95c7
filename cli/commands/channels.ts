import { z } from "zod";
import { channelSchema } from "#server/contract/outputs/channel.ts";
import { CHANNEL_DIGESTS } from "#server/domain/channel-digest.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { NONE } from "../render/format.ts";
import { type Column, clean, table } from "../render/table.ts";

type Channel = z.infer<typeof channelSchema>;

export const channels: Command = {
	name: "channels",
	usage: "ls|set [CHANNEL]",
	summary: "list notification channels, and choose between single messages and digests",
	details: "CHANNEL is an id or a name. A daily digest is sent at 8:00 in the company's time zone.",
	options: { digest: { value: "WHEN", help: `set: ${CHANNEL_DIGESTS.join(", ")}` } },
	positionals: { min: 1, max: 2, name: "VERB [CHANNEL]" },
	examples: ["spillway channels ls", "spillway channels set Finance --digest daily"],
	async run(ctx) {
		const [verb = "", given] = ctx.args.positionals;
		if (verb === "ls" && given === undefined) return list(ctx);
		if (verb !== "set") throw badInput(`There is no "channels ${[verb, given].filter(Boolean).join(" ")}". Use ls or set.`);
		if (given === undefined) throw badInput("Name the channel: spillway channels set CHANNEL --digest WHEN.");
		const digest = CHANNEL_DIGESTS.find((one) => one === ctx.args.text("digest"));
		if (digest === undefined) throw badInput(`Set --digest to ${CHANNEL_DIGESTS.join(", ")}.`);
		const { id, name } = await findChannel(ctx, given);
		const answer = await ctx.client.put(`/channels/${id}`, { digest });
		ctx.io.out(ctx.json ? `${answer.text}\n` : `${id}  ${clean(name)}  ${digest}\n`);
		return EXIT.done;
	},
};

const COLUMNS: readonly Column<Channel>[] = [
	{ head: "NAME", cell: ({ name }) => clean(name) },
	{ head: "KIND", cell: ({ kind }) => kind },
	{ head: "TARGET", cell: ({ target }) => clean(target) },
	{ head: "TEAM", cell: ({ team }) => team ?? NONE },
	{ head: "PIPELINE", cell: ({ pipeline }) => pipeline ?? NONE },
	{ head: "DIGEST", cell: ({ digest }) => digest },
	{ head: "STATE", cell: ({ enabled }) => (enabled ? "on" : "off") },
	{ head: "ID", cell: ({ id }) => id },
];

async function readChannels({ client }: CommandContext): Promise<{ text: string; items: Channel[] }> {
	const answer = await client.get("/channels");
	return { text: answer.text, items: readAs(z.object({ items: z.array(channelSchema) }), answer, "list of channels").items };
}

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { text, items } = await readChannels(ctx);
	const empty = "No channels yet. Add one under Budgets > Alerts.";
	ctx.io.out(ctx.json ? `${text}\n` : table(ctx.io, COLUMNS, items, { empty }));
	return EXIT.done;
}

async function findChannel(ctx: CommandContext, given: string): Promise<Channel> {
	const found = (await readChannels(ctx)).items.filter(({ id, name }) => id === given || name === given);
	const [first] = found;
	if (!first) throw new CliError(EXIT.notFound, `There is no channel "${given}". List them with: spillway channels ls`);
	if (found.length > 1) throw badInput(`${found.length} channels have the name "${given}". Use the id of one: spillway channels ls`);
	return first;
}
