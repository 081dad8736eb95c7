import { z } from "zod";
import { jobSchema, submittedJobSchema, submittedJobsSchema } from "#server/contract/outputs/job.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { followLogs } from "../follow-logs.ts";
import { JOB_OPTIONS, type JobDocument, readJobInput } from "../job-input.ts";
import { count } from "../render/format.ts";
import { exitOfJobs, outcomeLine, waitForJobs } from "../watch-job.ts";

/** Maximum number of jobs per request. */
const COUNT_MAX = 1_000;

export const submit: Command = {
	name: "submit",
	usage: "[-f FILE | -- COMMAND…] [flags]",
	summary: "submit a job from a job file or a command",
	details: "Flags override the job file. With --wait the exit code is the job's: 0 succeeded, 1 failed or cancelled.",
	options: {
		...JOB_OPTIONS,
		count: { value: "N", help: `submit N copies, NAME-1 to NAME-N, all or none (at most ${COUNT_MAX})` },
		wait: { help: "wait until the job has ended" },
		follow: { help: "print the log until the job has ended" },
	},
	positionals: { min: 0, max: 0, name: "" },
	takesCommand: true,
	examples: [
		"spillway submit -f examples/language-id/job.yaml --wait",
		"spillway submit --team research --gpus 1 --max 10m --workdir -- node train.mjs",
		"spillway submit -f examples/language-id/job.yaml --count 8",
	],
	async run(ctx) {
		const { args, io } = ctx;
		const copies = args.wholeNumber("count", { min: 1, max: COUNT_MAX });
		if (args.has("follow") && copies !== undefined && copies > 1)
			throw badInput("--follow prints the log of one job; use --wait with --count.");
		const document = await readJobInput(args, io);
		const answer = await ctx.client.post("/jobs", copies === undefined ? document : { items: numbered(document, copies) });
		const ids =
			copies === undefined
				? [readAs(submittedJobSchema, answer, "answer").id]
				: readAs(submittedJobsSchema, answer, "answer").items.map((j) => j.id);
		const watched = args.has("wait") || args.has("follow");
		if (ctx.json) {
			if (!args.has("wait") || args.has("follow")) io.out(`${answer.text}\n`);
		} else if (args.has("follow")) io.err(`${ids[0]} submitted\n`);
		else if (!args.has("wait")) for (const [i, id] of ids.entries()) io.out(`${id}  ${nameOf(document, copies, i)}  queued\n`);
		else io.err(`${ids.length === 1 ? ids[0] : count(ids.length, "job")} submitted\n`);
		if (!watched) {
			if (!ctx.json && ids.length === 1) io.err(`Follow it with: spillway logs -f ${ids[0]}\n`);
			return EXIT.done;
		}
		return watch(ctx, ids);
	},
};

async function watch(ctx: CommandContext, ids: readonly string[]): Promise<ExitCode> {
	const following = ctx.args.has("follow");
	if (following) await followLogs(ctx, ids[0] ?? "", {});
	const answers = await waitForJobs(ctx, ids);
	const jobs = answers.map((a) => readAs(jobSchema, a, "job"));
	if (!ctx.json) for (const job of jobs) (following ? ctx.io.err : ctx.io.out)(outcomeLine(ctx, job));
	// One document: the job in its final state, or {items} of them. The log was NDJSON already.
	else if (!following) {
		const [first] = answers;
		ctx.io.out(first && !ctx.args.has("count") ? `${first.text}\n` : `{"items":[${answers.map((a) => a.text).join(",")}]}\n`);
	}
	return exitOfJobs(jobs);
}

const named = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });

function nameOf(document: JobDocument, copies: number | undefined, i: number): string {
	const { name } = named.parse(document).metadata;
	return copies === undefined ? name : `${name}-${i + 1}`;
}

function numbered(document: JobDocument, copies: number): JobDocument[] {
	const { metadata } = named.parse(document);
	return Array.from({ length: copies }, (_, i) => ({ ...document, metadata: { ...metadata, name: nameOf(document, copies, i) } }));
}
