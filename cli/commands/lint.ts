import type { z } from "zod";
import { quoteSchema } from "#server/contract/outputs/decision.ts";
import { JOB_KIND } from "#server/domain/job-file-problems.ts";
import { readDocumentText } from "#server/domain/read-document-text.ts";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import { locateProblems } from "#server/domain/schema/problems.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT, oneLine } from "../exit.ts";
import { JOB_OPTIONS, readJob } from "../job-input.ts";

export const lint: Command = {
	name: "lint",
	usage: "-f FILE [flags]",
	summary: "check a job file, and warn when no cloud machine could finish the job",
	details: [
		"Takes the same input as submit and submits nothing. Problems are printed as FILE:LINE:COLUMN; errors exit with 2.",
		"The warnings are those of a quote: the policy's instance lifetime, the job's maximum, its data or reserved capacity ends the run too early.",
	].join("\n"),
	options: JOB_OPTIONS,
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway lint -f examples/language-id/job.yaml"],
	async run(ctx) {
		const file = ctx.args.text("file");
		if (file === undefined) throw badInput("Name the file: spillway lint -f FILE (- is stdin).");
		const { document, text } = await readJob(ctx.args, ctx.io);
		const quoted = readAs(quoteSchema, await ctx.client.post("/quotes", document), "quote");
		const warnings = lengthWarnings(quoted).map(({ at, message, fix }) => {
			const { doc, lines } = readDocumentText(text ?? "", JOB_KIND);
			const path = at.join(".");
			const { line = 1, column = 1 } = locateProblems([{ at, path, message, fix, isKey: false }], doc, lines)[0] ?? {};
			return { severity: "warning", path, line, column, message, fix };
		});
		if (ctx.json) ctx.io.out(`${JSON.stringify({ warnings })}\n`);
		const name = file === "-" ? "stdin" : file;
		for (const { line, column, message, fix } of ctx.json ? [] : warnings)
			ctx.io.out(`${name}:${line}:${column}: warning: ${oneLine(message)} ${oneLine(fix)}\n`);
		return EXIT.done;
	},
};

/** The field of the job file to change, and how, for each way in which a run cannot finish. */
const FIELDS = {
	life_too_short: ["spec.duration.estimate", "Save checkpoints, or raise instanceHours in the policy."],
	too_slow: ["spec.duration.max", "Raise the maximum, or allow faster accelerators."],
	data_too_slow: ["spec.data", "Copy the data ahead, or allow more time."],
	reserved_too_short: ["spec.duration.estimate", "Allow other capacity, or shorten the run."],
} as const;
const NEXT_CHECKPOINT = ["spec.checkpoint.interval", "Save more often, or raise instanceHours in the policy."] as const;

type Quoted = Pick<z.output<typeof quoteSchema>, "removed" | "candidates">;

/** One warning per cause, if every cloud machine that the policy allows would end the run too early. */
export function lengthWarnings({ removed, candidates }: Quoted): { at: string[]; message: string; fix: string }[] {
	if (candidates.some((c) => c.outcome !== "removed" && c.placement.capacityType !== "owned")) return [];
	const atHome = candidates.some((c) => c.outcome !== "removed");
	return removed.flatMap(({ why, ruleId, cheapest }) => {
		if (!(why in FIELDS)) return [];
		const facts = cheapest.removedBy?.facts ?? {};
		const [field, fix] = facts["missing"] === "checkpoint" ? NEXT_CHECKPOINT : FIELDS[why as keyof typeof FIELDS];
		const result = atHome ? "No cloud machine could finish this job; it can run only at home." : "No machine could finish this job.";
		return [{ at: field.split("."), message: `${result} ${removalSentenceOf({ why, ruleId, facts })}`, fix }];
	});
}
