import { MOVE_DESTINATIONS } from "#server/domain/vocabulary.ts";
import { actOnJobs } from "../act-on-jobs.ts";
import { badInput } from "../args.ts";
import type { Command } from "../command.ts";

export const move: Command = {
	name: "move",
	usage: "home|cloud JOB…",
	summary: "let running jobs continue on owned GPUs, or elsewhere in the cloud",
	options: {},
	positionals: { min: 2, max: 1_001, name: "home|cloud JOB" },
	examples: ["spillway move home language-id"],
	async run(ctx) {
		const [given = "", ...jobs] = ctx.args.positionals;
		const to = MOVE_DESTINATIONS.find((name) => name === given);
		if (!to) throw badInput(`Jobs move to ${MOVE_DESTINATIONS.join(" or ")}, not to "${given}".`);
		return actOnJobs(ctx, jobs, { action: "move", to }, () => (to === "home" ? "will move home" : "will move to the cloud"));
	},
};
