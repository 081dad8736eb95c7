import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findJobId } from "../find-job.ts";

export const resume: Command = {
	name: "resume",
	usage: "JOB",
	summary: "let a job held after attempts without progress use the cloud again",
	details: "A job is held after two attempts in a row that ended early and saved nothing. Its reason shows what was lost.",
	options: {},
	positionals: { min: 1, max: 1, name: "JOB" },
	examples: ["spillway resume language-id"],
	async run(ctx) {
		const id = await findJobId(ctx, ctx.args.positionals[0] ?? "", { write: true });
		const answer = await ctx.client.post(`/jobs/${id}/resume`);
		ctx.io.out(ctx.json ? `${answer.text}\n` : `${id}  resumed\n`);
		return EXIT.done;
	},
};
