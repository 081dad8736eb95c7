import { badInput } from "../args.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { saveStream } from "../save-stream.ts";

export const exportCommand: Command = {
	name: "export",
	usage: "focus --month MONTH [--focus VERSION] [--dataset DATASET] [--as-of POINT] [-o FILE]",
	summary: "export a month's charges, owned hardware included, in FOCUS format",
	details: "Writes CSV (docs/focus.md) to stdout, or to a file with -o.",
	options: {
		month: { value: "MONTH", help: "month of the ledger's calendar, such as 2026-11" },
		focus: { value: "VERSION", help: "1.2 (default), 1.3 or 1.4" },
		dataset: { value: "DATASET", help: "cost-and-usage (default), or contract-commitment as FOCUS 1.3" },
		"as-of": { value: "POINT", help: "the ledger as of a closed statement (2026-11/1, 2026-11/1/TEAM) or a time" },
		output: { short: "o", value: "FILE", help: "write it to this file" },
	},
	positionals: { min: 1, max: 1, name: "focus" },
	examples: ["spillway export focus --month 2026-11 -o focus-2026-11.csv", "spillway export focus --month 2026-11 | gzip > focus.csv.gz"],
	async run({ args, io, client }) {
		const [what = ""] = args.positionals;
		if (what !== "focus") throw badInput(`There is no "export ${what}". There is: export focus --month MONTH.`);
		const month = args.text("month");
		if (month === undefined) throw badInput("--month is missing: a month such as 2026-11.");
		await saveStream(
			io,
			client.bytes("/exports/focus", {
				month,
				format: "csv",
				version: args.text("focus"),
				dataset: args.text("dataset"),
				asOf: args.text("as-of"),
			}),
			args.text("output"),
		);
		return EXIT.done;
	},
};
