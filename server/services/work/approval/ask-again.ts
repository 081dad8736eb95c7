import { and, desc, eq, inArray } from "drizzle-orm";
import type { z } from "zod";
import { askAgainInput } from "#server/contract/inputs/approval.ts";
import { approval } from "#server/db/schema/approval.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";
import { readableJob } from "../readable-job.ts";
import { openApproval } from "./open.ts";

/**
 * Requests approval again after a rejection or an expired request: same rule, with the last quote until the next decision updates it.
 * @throws SpillwayError `not_found`, `forbidden`; `conflict` when the job no longer waits, is pending already, or was never rejected.
 */
export async function askAgain(ctx: ServiceContext, raw: z.input<typeof askAgainInput>): Promise<{ id: string }> {
	const { jobId } = askAgainInput.parse(raw);
	const job = await readableJob(ctx, jobId);
	authorizeFound(ctx, "job:submit", job, () => noJob(jobId));
	return ctx.db.transaction(async (tx) => {
		const [last] = await tx
			.select()
			.from(approval)
			.where(and(eq(approval.jobId, jobId), inArray(approval.state, ["open", "granted", "refused", "expired"])))
			.orderBy(desc(approval.requestedAt), desc(approval.id))
			.limit(1);
		if (!last) throw new SpillwayError("conflict", "This job never needed an approval.");
		if (last.state === "open")
			throw new SpillwayError("conflict", "The approval is still pending.", { fix: "Wait for the answer, or contact an approver." });
		const { ruleId, role, quote, policyName, policyVersion } = last;
		const id = await openApproval(tx, ctx, {
			...{ jobId, request: { ruleId, role, quote }, decisionId: quote.decisionId },
			...{ policy: { name: policyName, version: policyVersion }, nowMs: ctx.clock.nowMs() },
		});
		if (id === null) throw new SpillwayError("conflict", "The job is not queued any more.");
		return { id };
	});
}
