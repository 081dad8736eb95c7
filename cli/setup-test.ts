import { offersPageSchema, siteSchema } from "#server/contract/outputs/capacity.ts";
import { quoteSchema } from "#server/contract/outputs/decision.ts";
import { jobDetailSchema, submittedJobSchema } from "#server/contract/outputs/job.ts";
import { pageOf } from "#server/contract/parts.ts";
import { type SetupTest, setupTestJob, setupTestProblem } from "#server/domain/setup-test.ts";
import { readAs } from "./client.ts";
import type { CommandContext } from "./command.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { money, place } from "./render/format.ts";
import { exitOfJobs, waitForJobs } from "./watch-job.ts";

const LOOK_EVERY_MS = 1_000;
const MISSING: Record<SetupTest, string> = {
	home: "No pool of your cluster can be used yet. Connect it with spillway site add, and enter what a GPU-hour costs with spillway site price.",
	cloud: "No cloud offers an accelerator that your cluster lacks. Connect a cloud with spillway site add, and wait for its prices.",
};

/**
 * Quotes a short job at home or in the cloud, submits it, and waits until it has ended and its machines are released.
 * @throws CliError `badInput` when there is no place for it, it would run elsewhere, or it could cost more than $1
 */
export async function runSetupTest(ctx: CommandContext, where: SetupTest, team: string): Promise<ExitCode> {
	const { client, io } = ctx;
	const sites = readAs(pageOf(siteSchema), await client.get("/sites"), "list of sites").items;
	const offers = readAs(offersPageSchema, await client.get("/offers", { limit: "1" }), "list of offers");
	const document = setupTestJob(where, { team, sites, offered: offers.accelerators });
	if (document === null) throw new CliError(EXIT.badInput, MISSING[where]);
	const problem = setupTestProblem(where, readAs(quoteSchema, await client.post("/quotes", document), "quote"));
	if (problem !== null) throw new CliError(EXIT.badInput, problem);
	const { id } = readAs(submittedJobSchema, await client.post("/jobs", document), "job");
	io.err(`${document.metadata.name} submitted: ${id}\n`);
	await waitForJobs(ctx, [id]);
	const job = await untilReleased(ctx, id);
	const released = job.instances.length === 0 ? [] : ["machine released"];
	io.out(`${[job.name, job.state, place(job.placement), money(job.costMicroUsd), ...released].join("  ")}\n`);
	return exitOfJobs([job]);
}

async function untilReleased(ctx: CommandContext, id: string) {
	for (;;) {
		const job = readAs(jobDetailSchema, await ctx.client.get(`/jobs/${id}`), "job");
		if (job.instances.every(({ state }) => state === "terminated")) return job;
		if (ctx.io.signal.aborted) throw new CliError(EXIT.interrupted, `Interrupted; the machine of ${id} is being released.`);
		await ctx.io.sleep(LOOK_EVERY_MS);
	}
}
