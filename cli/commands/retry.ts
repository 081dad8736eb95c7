import { actOnJobs } from "../act-on-jobs.ts";
import type { Command } from "../command.ts";

export const retry: Command = {
	name: "retry",
	usage: "JOB…",
	summary: "resubmit failed or cancelled jobs unchanged",
	options: {},
	positionals: { min: 1, max: 1_000, name: "JOB" },
	examples: ["spillway retry language-id"],
	run: (ctx) => actOnJobs(ctx, ctx.args.positionals, { action: "retry" }, ({ newJobId }) => `resubmitted as ${newJobId}`),
};
