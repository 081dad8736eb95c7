import { actOnJobs } from "../act-on-jobs.ts";
import type { Command } from "../command.ts";

export const stay: Command = {
	name: "stay",
	usage: "JOB…",
	summary: "withdraw the request to move jobs",
	options: {},
	positionals: { min: 1, max: 1_000, name: "JOB" },
	examples: ["spillway stay language-id"],
	run: (ctx) => actOnJobs(ctx, ctx.args.positionals, { action: "stay" }, () => "will stay"),
};
