import { z } from "zod";
import { jobActionResultSchema } from "#server/contract/outputs/job.ts";
import { readAs } from "./client.ts";
import type { CommandContext } from "./command.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { findJobId } from "./find-job.ts";
import { count } from "./render/format.ts";

const answerShape = z.object({ items: z.array(jobActionResultSchema) });
type Result = z.output<typeof jobActionResultSchema>;

const EXIT_OF: Readonly<Record<string, ExitCode>> = { not_found: EXIT.notFound, conflict: EXIT.conflict, forbidden: EXIT.denied };

/**
 * One bulk request that changes every eligible job.
 * @throws CliError with the exit code of the first failure
 */
export async function actOnJobs(
	ctx: CommandContext,
	given: readonly string[],
	action: Readonly<Record<string, unknown>>,
	wordOf: (result: Result) => string,
): Promise<ExitCode> {
	const ids: string[] = [];
	for (const job of given) ids.push(await findJobId(ctx, job, { write: true }));
	const answer = await ctx.client.post("/jobs/actions", { ...action, ids });
	const { items } = readAs(answerShape, answer, "results");
	if (ctx.json) ctx.io.out(`${answer.text}\n`);
	else for (const result of items) if (result.done) ctx.io.out(`${result.id}  ${wordOf(result)}\n`);
	const skipped = items.flatMap(({ problem }) => problem ?? []);
	const [first] = skipped;
	if (!first) return EXIT.done;
	const message = [first.message, first.fix].filter((text) => text !== null).join(" ");
	throw new CliError(
		EXIT_OF[first.code] ?? EXIT.badInput,
		skipped.length === 1 ? message : `${count(skipped.length, "job")} skipped: ${message}`,
	);
}
