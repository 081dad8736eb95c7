import { z } from "zod";
import { type Answer, readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { findJobId } from "../find-job.ts";
import { count } from "../render/format.ts";

const cancelledShape = z.looseObject({ state: z.string() });

export const cancel: Command = {
	name: "cancel",
	usage: "JOB…",
	summary: "cancel jobs; a running job gets time to save a checkpoint",
	details: "Cancels every job that it can. The exit code is that of the first failure. A name shared by several live jobs is refused.",
	options: {},
	positionals: { min: 1, max: 1_000, name: "JOB" },
	examples: ["spillway cancel language-id"],
	async run(ctx) {
		// Find all jobs before cancelling the first, so that a typo in one cancels none.
		const ids: string[] = [];
		for (const given of ctx.args.positionals) ids.push(await findJobId(ctx, given, { write: true }));
		const answers: Answer[] = [];
		const refused: CliError[] = [];
		for (const id of new Set(ids)) {
			try {
				const answer = await ctx.client.post(`/jobs/${id}/cancel`);
				answers.push(answer);
				if (!ctx.json) ctx.io.out(`${id}  ${readAs(cancelledShape, answer, "answer").state === "cancelled" ? "cancelled" : "stopping"}\n`);
			} catch (error) {
				if (!(error instanceof CliError) || error.exitCode === EXIT.interrupted) throw error;
				refused.push(error);
			}
		}
		const [first] = refused;
		if (first)
			throw new CliError(
				first.exitCode as ExitCode,
				refused.length === 1 ? first.message : `${count(refused.length, "job")} could not be cancelled: ${first.message}`,
			);
		if (ctx.json) ctx.io.out(ids.length === 1 ? `${answers[0]?.text}\n` : `{"items":[${answers.map((a) => a.text).join(",")}]}\n`);
		return EXIT.done;
	},
};
