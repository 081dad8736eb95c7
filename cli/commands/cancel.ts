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
	summary: "end jobs; one that runs gets time to save its checkpoint",
	details:
		"All that can be cancelled are, and the exit code is of the first that could not. A name that several live jobs have is refused.",
	options: {},
	positionals: { min: 1, max: 1_000, name: "JOB" },
	examples: ["spillway cancel language-id"],
	async run(ctx) {
		// All are found before the first is cancelled, so that a slip in one cancels none.
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
