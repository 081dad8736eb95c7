import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { exactTime, money } from "../render/format.ts";
import { table } from "../render/table.ts";
import { budgetShape, pageOf } from "../shapes.ts";

export const budgets: Command = {
	name: "budgets",
	usage: "",
	summary: "show the budgets of the policy in force: cap, spent, set aside, free",
	options: {},
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway budgets"],
	async run(ctx) {
		const { io } = ctx;
		const answer = await ctx.client.get("/budgets");
		if (ctx.json) {
			io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		io.out(
			table(
				io,
				[
					{ head: "BUDGET", cell: (b) => b.id },
					{ head: "PERIOD", cell: (b) => b.period },
					{ head: "CAP", cell: (b) => money(b.capMicroUsd), right: true },
					{ head: "SPENT", cell: (b) => money(b.postedMicroUsd), right: true },
					{ head: "SET ASIDE", cell: (b) => money(b.heldMicroUsd), right: true },
					{ head: "FREE", cell: (b) => money(b.freeMicroUsd), right: true, style: (b) => (BigInt(b.freeMicroUsd) <= 0n ? "red" : null) },
					{ head: "UNTIL", cell: (b) => exactTime(b.periodEndMs) },
					{ head: "AT CAP", cell: (b) => b.atCap.replaceAll("_", " ") },
					{ head: "FOR", cell: (b) => (b.scope === "true" ? "every job" : b.scope) },
				],
				readAs(pageOf(budgetShape), answer, "list of budgets").items,
				{ empty: "The policy in force has no budgets: cloud money has no cap." },
			),
		);
		return EXIT.done;
	},
};
