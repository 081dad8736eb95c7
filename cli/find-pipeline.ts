import { pipelinePageSchema } from "#server/contract/pipeline.ts";
import { readAs } from "./client.ts";
import type { CommandContext } from "./command.ts";
import { CliError, EXIT } from "./exit.ts";

/**
 * Resolves a pipeline: an id, or the newest with this name.
 * @throws CliError `notFound`
 */
export async function findPipelineId(ctx: CommandContext, given: string): Promise<string> {
	if (/^pipe_[0-9a-z]{26}$/.test(given)) return given;
	const answer = await ctx.client.get("/pipelines", { q: given, limit: 200 });
	const { items } = readAs(pipelinePageSchema, answer, "list of pipelines");
	const found = items.find(({ id, name }) => name === given || (given.startsWith("pipe_") && id.startsWith(given)));
	if (found) return found.id;
	throw new CliError(EXIT.notFound, `There is no pipeline "${given}". List them with: spillway pipeline ls`);
}
