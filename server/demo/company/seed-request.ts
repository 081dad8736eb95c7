import { eq } from "drizzle-orm";
import { job } from "#server/db/schema/job.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { submitJob } from "#server/services/work/job/submit-one.ts";

const NAME = "rlhf-full-cluster";

/** More H100s than the company owns: the job has to burst, and the rule for large jobs requires finance's approval first. */
const REQUEST = {
	...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: NAME, team: "foundation", project: "alignment" } },
	spec: {
		...{ class: "burst", command: ["sh", "-c", "sleep 120; echo done"] },
		nodes: 7,
		resources: { gpus: 8, accelerators: ["H100-80GB"] },
		duration: { estimate: "40m", max: "2h" },
	},
};

/** Submits a job that waits for approval. The submitter cannot approve it, so it is not finance. */
export async function seedRequest(ctx: ServiceContext): Promise<void> {
	const [known] = await ctx.db.select({ id: job.id }).from(job).where(eq(job.name, NAME)).limit(1);
	if (known) return;
	const actor = {
		kind: "person",
		accountId: "usr_demo_platform",
		name: "Pia Platform",
		role: "platform",
		teams: [],
		via: "token",
	} as const;
	await submitJob({ ...ctx, actor }, parseJobDocument(REQUEST));
}
