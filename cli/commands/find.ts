import type { z } from "zod";
import { pageOf } from "#server/contract/parts.ts";
import { search } from "#server/contract/search.ts";
import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { table } from "../render/table.ts";

const foundSchema = search.find.output.element;
type Found = z.infer<typeof foundSchema>;

export const find: Command = {
	name: "find",
	usage: "WORD …",
	summary: "search jobs, teams, rules, machines, months and more",
	details: "Every word must occur in the name, id or details. Shows only what you may see.",
	options: {},
	positionals: { min: 1, max: 20, name: "WORD" },
	examples: ["spillway find esm", "spillway find october 2026"],
	async run({ io, client, json, args }) {
		const answer = await client.get(`/search?${new URLSearchParams({ q: args.positionals.join(" ") })}`);
		if (json) {
			io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		const columns = [
			{ head: "KIND", cell: (e: Found) => e.kind },
			{ head: "NAME", cell: (e: Found) => e.name },
			{ head: "DETAIL", cell: (e: Found) => e.detail },
			{ head: "ID", cell: (e: Found) => e.id },
		];
		io.out(table(io, columns, readAs(pageOf(foundSchema), answer, "search").items, { empty: "No matches." }));
		return EXIT.done;
	},
};
