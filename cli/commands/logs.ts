import { jobSchema, logPageSchema } from "#server/contract/outputs/job.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findJobId } from "../find-job.ts";
import { followLogs, logLine } from "../follow-logs.ts";
import { exitOfJobs, outcomeLine } from "../watch-job.ts";

const PAGE_MAX = 10_000;

export const logs: Command = {
	name: "logs",
	usage: "JOB [-f] [--attempt N] [--tail N] [--raw]",
	summary: "print a job's log; with -f, follow it to the end",
	details:
		"Prints the newest attempt by default. -f follows later attempts too, and its exit code is the job's: 0 succeeded, 1 failed or cancelled.",
	options: {
		follow: { short: "f", help: "follow the log until the job ends" },
		attempt: { value: "N", help: "attempt (default: the newest)" },
		raw: { help: "print terminal escapes as the job wrote them" },
		tail: { value: "N", help: "only the last N lines, at most 10,000" },
	},
	positionals: { min: 1, max: 1, name: "JOB" },
	examples: ["spillway logs -f language-id", "spillway logs language-id --attempt 1 --tail 20"],
	async run(ctx) {
		const { args } = ctx;
		const attempt = args.wholeNumber("attempt", { min: 1, max: 1_000 });
		const tail = args.wholeNumber("tail", { min: 1, max: PAGE_MAX });
		const id = await findJobId(ctx, args.positionals[0] ?? "");
		if (!args.has("follow")) return printOnce(ctx, id, { attempt, tail });
		await followLogs(ctx, id, { attempt, tail, raw: args.has("raw") });
		const job = readAs(jobSchema, await ctx.client.get(`/jobs/${id}`), "job");
		if (!ctx.json) ctx.io.err(outcomeLine(ctx, job));
		return exitOfJobs([job]);
	},
};

async function printOnce(ctx: CommandContext, id: string, from: { attempt: number | undefined; tail: number | undefined }): Promise<0> {
	const first = await ctx.client.get(`/jobs/${id}/logs`, { ...from, limit: PAGE_MAX });
	let page = readAs(logPageSchema, first, "log");
	const { attempt } = page;
	const lines = [...page.lines];
	for (let last = page.lines.at(-1); last && attempt !== null && last.number < page.total; last = page.lines.at(-1)) {
		page = readAs(logPageSchema, await ctx.client.get(`/jobs/${id}/logs`, { attempt, after: last.number, limit: PAGE_MAX }), "log");
		for (const line of page.lines) lines.push(line);
	}
	if (ctx.json)
		ctx.io.out(`${lines.length === readAs(logPageSchema, first, "log").lines.length ? first.text : JSON.stringify({ ...page, lines })}\n`);
	else {
		for (const line of lines) ctx.io.out(`${logLine(ctx, line, ctx.args.has("raw"))}\n`);
		if (lines.length === 0)
			ctx.io.err(attempt === null ? "The job has not started, so there is no log yet.\n" : `Attempt ${attempt} has written nothing.\n`);
		else if (page.attempts > 1) ctx.io.err(`Attempt ${attempt} of ${page.attempts}; --attempt N shows another.\n`);
	}
	return EXIT.done;
}
