import { actOnJobs } from "../act-on-jobs.ts";
import type { Command } from "../command.ts";

export const release: Command = {
	name: "release",
	usage: "JOB…",
	summary: "return held jobs to the queue",
	options: {},
	positionals: { min: 1, max: 1_000, name: "JOB" },
	examples: ["spillway release language-id"],
	run: (ctx) => actOnJobs(ctx, ctx.args.positionals, { action: "release" }, () => "released"),
};
