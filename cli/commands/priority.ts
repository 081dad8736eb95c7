import { actOnJobs } from "../act-on-jobs.ts";
import { badInput } from "../args.ts";
import type { Command } from "../command.ts";

export const priority: Command = {
	name: "priority",
	usage: "N JOB…",
	summary: "set the priority of waiting jobs, 0 to 100; higher starts first",
	options: {},
	positionals: { min: 2, max: 1_001, name: "N JOB" },
	examples: ["spillway priority 80 language-id"],
	async run(ctx) {
		const [given = "", ...jobs] = ctx.args.positionals;
		const value = /^\d{1,3}$/.test(given) ? Number(given) : 101;
		if (value > 100) throw badInput(`The priority must be a whole number from 0 to 100, not "${given}".`);
		return actOnJobs(
			ctx,
			jobs,
			{ action: "set_priority", priority: value },
			({ priorityBefore }) => `priority ${value}, was ${priorityBefore}`,
		);
	},
};
