import { actOnJobs } from "../act-on-jobs.ts";
import type { Command } from "../command.ts";

export const hold: Command = {
	name: "hold",
	usage: "JOB…",
	summary: "hold queued jobs until they are released",
	options: {},
	positionals: { min: 1, max: 1_000, name: "JOB" },
	examples: ["spillway hold language-id"],
	run: (ctx) => actOnJobs(ctx, ctx.args.positionals, { action: "hold" }, () => "held"),
};
