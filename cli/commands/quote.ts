import { quoteSchema } from "#server/contract/outputs/decision.ts";
import { electricityAheadWords } from "#server/domain/home-electricity.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit.ts";
import { JOB_OPTIONS, readJobInput } from "../job-input.ts";
import { candidateText } from "../render/candidates.ts";
import { chance, count, duration, exactTime, money, startRange } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { clean, fields, heading } from "../render/table.ts";

const OUTCOMES: Readonly<Record<string, string>> = {
	place_home: "would start at home now",
	launch: "would go to the cloud",
	wait: "would wait",
	hold: "would be held",
	fail: "could never run",
};

export const quote: Command = {
	name: "quote",
	usage: "[-f FILE | -- COMMAND…] [flags]",
	summary: "quote a job's start, run time, cost and CO2 without submitting it",
	details: "Takes the same input as submit and decides with the same code, over the current queue.",
	options: JOB_OPTIONS,
	positionals: { min: 0, max: 0, name: "" },
	takesCommand: true,
	examples: ["spillway quote -f examples/language-id/job.yaml", "spillway quote --team vision --gpus 8 --estimate 6h -- python train.py"],
	async run(ctx) {
		const answer = await ctx.client.post("/quotes", await readJobInput(ctx.args, ctx.io));
		if (ctx.json) ctx.io.out(`${answer.text}\n`);
		else ctx.io.out(quoteText(ctx, readAs(quoteSchema, answer, "quote")));
		return EXIT.done;
	},
};

/** How accurate the start forecast at home is. */
function heldText(score: { count: number; p90Covered: number } | null): string | null {
	if (score === null) return null;
	return `${score.p90Covered} of ${count(score.count, "such forecast")} held: the job started within the range`;
}

type Quoted = ReturnType<typeof quoteSchema.parse>;

/** The chance of missing its deadline, in the current plan and when waiting at home. */
function lateText({ expected, candidates }: Quoted): string | null {
	const home = candidates.find((c) => c.placement.capacityType === "owned" && typeof c.deadlineRisk === "number")?.deadlineRisk;
	const risk = expected?.deadlineRisk;
	if (typeof risk !== "number") return typeof home === "number" ? `${chance(home)} by waiting at home` : null;
	const elsewhere = expected?.placement.capacityType !== "owned" && typeof home === "number";
	return `${chance(risk)}${elsewhere ? `; by waiting at home ${chance(home)}` : ""}`;
}

export function quoteText({ io }: CommandContext, quoted: Quoted): string {
	const { runTime, queue, budgetFree, suggestions, approval } = quoted;
	const at = quoted.decidedAtMs;
	const spread = runTime.p90Ms === runTime.p50Ms ? "" : `, 90% within ${duration(runTime.p90Ms)}`;
	return [
		fields(io, [
			["outcome", styled(io, "bold", OUTCOMES[quoted.outcome] ?? quoted.outcome)],
			["reason", clean(quoted.reason.message)],
			["at home", quoted.homeStart === null ? "never: no owned machine fits" : `starts ${startRange(quoted.homeStart, at)}`],
			["track record", heldText(quoted.quoteScore ?? quoted.forecastScore)],
			["missed deadline", lateText(quoted)],
			["approval", approval === null ? null : clean(approval.sentence)],
			["run time", `≈${duration(runTime.p50Ms)}${spread}`],
			["queue", `${count(queue.jobs, "waiting job")}, ${count(queue.gpus, "GPU")}; as of ${exactTime(at)}`],
			["electricity", quoted.electricity.map((of) => clean(electricityAheadWords(of))).join(" · ") || null],
			[
				"budget",
				budgetFree === null ? null : `${money(budgetFree.freeMicroUsd)} of ${money(budgetFree.capMicroUsd)} free in ${budgetFree.budgetId}`,
			],
		]),
		heading(io, "Places"),
		candidateText(io, quoted, at),
		...(suggestions.length === 0 ? [] : [heading(io, "Cheaper or sooner"), ...suggestions.map((s) => `${clean(s.sentence)}\n`)]),
	].join("");
}
