import { jobSchema } from "#server/contract/outputs/job.ts";
import { pageOf } from "#server/contract/parts.ts";
import { isFinal, JOB_TRANSITIONS } from "#server/domain/states.ts";
import { badInput } from "./args.ts";
import { readAs } from "./client.ts";
import type { CommandContext } from "./command.ts";
import { CliError, EXIT } from "./exit.ts";
import type { Job } from "./response-types.ts";

const WHOLE_ID = /^job_[0-9a-z]{26}$/;
const PAGE = 500;
/** Names that merely contain the text can fill pages; the search stops after this many. */
const PAGES_MAX = 10;

/**
 * Resolves a job: an id, an id prefix, or a name (the newest such job).
 * @param options `write`: the job will be changed, so an ambiguous name of several live jobs is rejected
 * @throws CliError `badInput` when ambiguous, `notFound`
 */
export async function findJobId(ctx: CommandContext, given: string, options: { write?: boolean } = {}): Promise<string> {
	if (WHOLE_ID.test(given)) return given;
	if (given.trim() === "") throw badInput("Name a job: its id, the prefix of an id, or its name.");
	const prefix = given.startsWith("job_");
	let cursor: string | null = null;
	for (let page = 0; page < PAGES_MAX; page++) {
		const answer = await ctx.client.get("/jobs", { q: given, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
		const { items, nextCursor } = readAs(pageOf(jobSchema), answer, "list of jobs");
		const found = prefix ? items.filter((j) => j.id.startsWith(given)) : items.filter((j) => j.name === given);
		if (found.length > 0) return prefix ? onlyOne(given, found) : newest(ctx, given, found, options.write ?? false);
		cursor = nextCursor;
		if (cursor === null) break;
	}
	throw new CliError(EXIT.notFound, `There is no job "${given}". Search for it: spillway jobs --q ${JSON.stringify(given)}`);
}

function onlyOne(given: string, found: readonly Job[]): string {
	const [first] = found;
	if (first && found.length === 1) return first.id;
	throw badInput(`"${given}" is the prefix of ${several(found)}. Give more of the id.`);
}

function newest(ctx: CommandContext, name: string, found: readonly Job[], write: boolean): string {
	const live = found.filter((j) => !isFinal(JOB_TRANSITIONS, j.state));
	if (write && live.length > 1) throw badInput(`"${name}" is the name of ${several(live)}; use the id.`);
	const job = (write ? live[0] : undefined) ?? found[0];
	if (!job) throw new CliError(EXIT.notFound, `There is no job "${name}".`);
	if (found.length > 1 && !write) ctx.io.err(`${found.length} jobs are named ${name}; this is the newest, ${job.id}.\n`);
	return job.id;
}

const SHOWN = 4;
function several(jobs: readonly Job[]): string {
	const shown = jobs.slice(0, SHOWN).map((j) => `${j.id} (${j.name}, ${j.state})`);
	return `${jobs.length} jobs: ${shown.join(", ")}${jobs.length > SHOWN ? " …" : ""}`;
}
