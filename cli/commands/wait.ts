import { jobSchema } from "#server/contract/outputs/job.ts";
import { pipelineDetailSchema } from "#server/contract/pipeline.ts";
import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findJobId } from "../find-job.ts";
import { findPipelineId } from "../find-pipeline.ts";
import { waitForPipeline } from "../wait-for-pipeline.ts";
import { waitForJobs } from "../watch-job.ts";

export const wait: Command = {
	name: "wait",
	usage: "JOB… | --pipeline PIPELINE",
	summary: "wait for jobs or a pipeline to end; the exit code shows the outcome",
	details: "0 when all succeeded, 1 when one failed, was cancelled or skipped.",
	options: { pipeline: { value: "PIPELINE", help: "pipeline or sweep to wait for: id or name; an id alone needs no option" } },
	positionals: { min: 0, max: 1_000, name: "JOB" },
	examples: ["spillway wait language-id", "spillway wait --pipeline languages"],
	async run(ctx) {
		const [only = "", ...others] = ctx.args.positionals;
		const given = ctx.args.text("pipeline") ?? (only.startsWith("pipe_") && others.length === 0 ? only : undefined);
		if (given !== undefined) {
			const answer = await waitForPipeline(ctx, await findPipelineId(ctx, given));
			const { id, state } = readAs(pipelineDetailSchema, answer, "pipeline");
			ctx.io.out(ctx.json ? `${answer.text}\n` : `${id}  ${state}\n`);
			return state === "succeeded" ? EXIT.done : EXIT.jobFailed;
		}
		const ids: string[] = [];
		for (const one of ctx.args.positionals) ids.push(await findJobId(ctx, one));
		const answers = await waitForJobs(ctx, [...new Set(ids)]);
		const jobs = answers.map((answer) => readAs(jobSchema, answer, "job"));
		if (ctx.json) ctx.io.out(answers.length === 1 ? `${answers[0]?.text}\n` : `{"items":[${answers.map(({ text }) => text).join(",")}]}\n`);
		else for (const { id, state } of jobs) ctx.io.out(`${id}  ${state}\n`);
		return jobs.every(({ state }) => state === "succeeded") ? EXIT.done : EXIT.jobFailed;
	},
};
